// SPDX-License-Identifier: Apache-2.0

#include "NoisyCodec.h"

#include <stdio.h>

void noisy_codec_decode(int frame_count) {
    fprintf(stderr, "[codec @ 0x5581] deprecated pixel format used\n");
    for (int frame = 1; frame <= frame_count; frame++) {
        printf("frame=%5d ", frame);
        printf("q=28.0 size=%4dkB\n", 12 * frame);
    }
}
