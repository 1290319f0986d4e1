/* How a checkpoint stores its weights. */
#ifndef PM_MODELS_QUANTIZATION_H
#define PM_MODELS_QUANTIZATION_H

#include "models/body.h"

/* Sets how the network's weights are stored, and notes it; nothing without a quantization_config. */
void pm__body_quantize(pm__body *body, const pm__config *config);

#endif
