/* The list of model types that are no decoder-only families: who builds each. */
#ifndef PM_MODELS_MODELS_H
#define PM_MODELS_MODELS_H

#include "models/body.h"

typedef struct pm__model {
  const char *types; /* separated by spaces */
  void (*build)(pm__body *body, const pm__config *config);
} pm__model;

/* NULL: no such type; no such number. */
const pm__model *pm__model_find(const char *type);
const pm__model *pm__model_at(size_t number);

void pm__build_bert(pm__body *body, const pm__config *config);
void pm__build_albert(pm__body *body, const pm__config *config);
void pm__build_deberta(pm__body *body, const pm__config *config);
void pm__build_modernbert(pm__body *body, const pm__config *config);
void pm__build_vit(pm__body *body, const pm__config *config);
void pm__build_dinov2(pm__body *body, const pm__config *config);
void pm__build_tower(pm__body *body, const pm__config *config);
void pm__build_convnext(pm__body *body, const pm__config *config);
void pm__build_resnet(pm__body *body, const pm__config *config);
void pm__build_swin(pm__body *body, const pm__config *config);
void pm__build_clip(pm__body *body, const pm__config *config);
void pm__build_clip_text(pm__body *body, const pm__config *config);
void pm__build_clip_vision(pm__body *body, const pm__config *config);
void pm__build_t5(pm__body *body, const pm__config *config);
void pm__build_bart(pm__body *body, const pm__config *config);
void pm__build_whisper(pm__body *body, const pm__config *config);
void pm__build_wav2vec2(pm__body *body, const pm__config *config);

#endif
