// SPDX-License-Identifier: Apache-2.0

#include "NoisyRender.h"

#include <iostream>

void noisy_render_frames(int frame_count) {
    std::cout << "render: " << frame_count << " frames on " << 2 << " threads" << std::endl;
    std::cerr << "[ERROR] render: no GPU, using software" << std::endl;
}
