/* Which function builds which model type. */
#include <string.h>
#include "models/models.h"

static const pm__model models[] = {
  {"bert camembert distilbert electra roberta xlm-roberta", pm__build_bert},
  {"albert", pm__build_albert},
  {"deberta-v2", pm__build_deberta},
  {"modernbert", pm__build_modernbert},
  {"deit vit", pm__build_vit},
  {"dinov2", pm__build_dinov2},
  {"siglip_vision_model siglip2_vision_model idefics2_vision idefics3_vision smolvlm_vision paddleocr_vl_vision "
   "video_llama_3_vision ernie4_5_vl_moe_vision qwen2_5_omni_vision_encoder qwen3_omni_moe_vision_encoder "
   "exaone4_5_vision pixtral qwen2_vl_vision qwen2_5_vl_vision qwen3_vl_vision "
   "qwen3_vl_moe_vision qwen3_5_vision qwen3_5_moe_vision llama4_vision_model glm4v_vision glm4v_moe_vision "
   "gemma4_vision internvl_vision kimi_k25_vision minimax_m3_vl_vision", pm__build_tower},
  {"convnext", pm__build_convnext},
  {"resnet", pm__build_resnet},
  {"swin", pm__build_swin},
  {"clip", pm__build_clip},
  {"clip_text_model", pm__build_clip_text},
  {"clip_vision_model", pm__build_clip_vision},
  {"mt5 t5 umt5", pm__build_t5},
  {"bart mbart marian pegasus plbart blenderbot blenderbot-small m2m_100", pm__build_bart},
  {"whisper", pm__build_whisper},
  {"hubert wav2vec2", pm__build_wav2vec2},
};

const pm__model *pm__model_at(size_t number)
{
  return number < sizeof models / sizeof *models ? &models[number] : NULL;
}

const pm__model *pm__model_find(const char *type)
{
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    if (pm__list_has(models[i].types, type)) return &models[i];
  return NULL;
}
