/*
** Networks from model files: the configuration (config.json) that Hugging Face stores with a model's weights, or its
** text. Weights are never read.
**
**     char *notes = NULL;
**     pm_network *net = pm_model_read(text, "Qwen3-8B/config.json", NULL, 0, &notes, &error);
**
** The model type and its sizes are read. `architectures` determines the head; without it, decoders get a language-model
** head, image models a classifier, encoders a pooler. For a multimodal model (text with images or audio) the text model
** is built, and a note lists what is left out. docs/import.md lists the model types.
*/
#ifndef PERFMODEL_MODEL_H
#define PERFMODEL_MODEL_H

#include "network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The network that a config.json describes; `file` is its name in messages. Unless `id` is set, the network is named
** after the folder, or the file name without its extension. `sets`: seq (tokens of a sample; of encoder-decoders on
** both sides), image (height and width), flash (yes: attention is one fused kernel), id, name. pm_network_get_notes
** lists what was assumed, left out or approximated. Owned by the caller; NULL with an error: not a configuration, an
** unknown model type, invalid settings. */
PM_API pm_network *pm_model_read(const char *text, const char *file, const pm_attribute *sets, size_t set_count,
                                 pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
