/* DeepSeek-V4's attention to compressed keys, and residual streams that every part mixes. */
#ifndef PM_MODELS_COMPRESSED_H
#define PM_MODELS_COMPRESSED_H

#include "models/decoder.h"

/* The mixer of a layer on the last layer, up to its output projection. */
int pm__decoder_compressed(pm__body *body, const pm__decoder *decoder, const pm__decoder_layer *layer);

/* Streams of the words' rows; one row of them, at the end. Nothing is added without streams. */
void pm__decoder_begin_streams(pm__body *body, const pm__decoder *decoder);
void pm__decoder_end_streams(pm__body *body, const pm__decoder *decoder);

/* One row of the last layer's streams for a part; what it gives, in all streams, and the mixed ones that `weights`
** (which the first returns) say. */
int pm__decoder_collapse(pm__body *body, const pm__decoder *decoder);
int pm__decoder_expand(pm__body *body, const pm__decoder *decoder, int streams, int weights);

#endif
