/* Mixers of a decoder that carry a state from token to token. */
#ifndef PM_MODELS_SCANS_H
#define PM_MODELS_SCANS_H

#include "models/decoder.h"

/* The mixer of a layer on the last layer, up to its output projection. */
int pm__decoder_scan(pm__body *body, const pm__decoder *decoder, const pm__decoder_layer *layer);

#endif
