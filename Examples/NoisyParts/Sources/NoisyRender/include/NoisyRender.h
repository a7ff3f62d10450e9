// SPDX-License-Identifier: Apache-2.0

#ifndef NOISY_RENDER_H
#define NOISY_RENDER_H

#ifdef __cplusplus
extern "C" {
#endif

/// Renders, with the streams of C++.
void noisy_render_frames(int frame_count);

#ifdef __cplusplus
}
#endif

#endif
