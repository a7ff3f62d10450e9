// SPDX-License-Identifier: Apache-2.0

#ifndef NOISY_CODEC_H
#define NOISY_CODEC_H

/// Decodes so many frames, with printf(3) and fprintf(3).
void noisy_codec_decode(int frame_count);

#endif
