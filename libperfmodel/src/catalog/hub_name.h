/* Names of models as hubs have them, "meta-llama/Llama-3.1-8B-Instruct": what they say besides the layers. */
#ifndef PM_CATALOG_HUB_NAME_H
#define PM_CATALOG_HUB_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Who asks looks these up one after the other, until there is such a network. */
typedef struct pm__catalog_hub_name {
  char model[256];
  const char *weights; /* how the words that were cut say that weights are stored ("fp8" of "-FP8"), or NULL */
  bool published;      /* by somebody, "meta-llama/" */
} pm__catalog_hub_name;

/* The model without who published it and, of timm, without the recipe behind the point; false if it is too long. */
bool pm__catalog_hub_name_read(const char *name, pm__catalog_hub_name *hub);

/* Cuts its last word, if that says nothing of the layers. */
bool pm__catalog_hub_name_cut(pm__catalog_hub_name *hub);

#endif
