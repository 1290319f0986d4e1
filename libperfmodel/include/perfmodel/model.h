/*
** Networks from model files: the configuration (config.json) that Hugging Face keeps with a model's weights, or only a
** text of it. Weights are never read.
**
**     char *notes = NULL;
**     pm_network *net = pm_model_read(text, "Qwen3-8B/config.json", NULL, 0, &notes, &error);
**
** What is read: the model type and its sizes. `architectures` tells the head; without it decoders get their head for
** words, image models their classifier, encoders their pooler. Of a composite (text beside images or sound) the text
** model is built, and a note says what is left out. docs/import.md lists the model types.
*/
#ifndef PERFMODEL_MODEL_H
#define PERFMODEL_MODEL_H

#include "network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The network that a config.json describes; `file` is how messages name it and, unless `id` is set, what the network
** is called by: its folder, or its name without the end. `sets`: seq (tokens of a sample; of encoder-decoders on both
** sides), image (height and width), flash (yes: attention is one fused kernel), id, name. pm_network_get_notes has what
** was assumed, left out or comes only near. Owned by the caller; NULL with an error: a text that is none, a model type
** that is not known, settings that cannot be. */
PM_API pm_network *pm_model_read(const char *text, const char *file, const pm_attribute *sets, size_t set_count,
                                 pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
