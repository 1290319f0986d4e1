/* Names of models on hubs, "meta-llama/Llama-3.1-8B-Instruct": their parts besides the layers. */
#ifndef PM_CATALOG_HUB_NAME_H
#define PM_CATALOG_HUB_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The caller looks these up one after the other, until there is such a network. */
typedef struct pm__catalog_hub_name {
  char model[256];
  const char *weights; /* storage format of weights in the removed words ("fp8" of "-FP8"), or NULL */
  bool published;      /* by somebody, "meta-llama/" */
} pm__catalog_hub_name;

/* The model without its publisher and, for timm, without the recipe after the dot; false if it is too long. */
bool pm__catalog_hub_name_read(const char *name, pm__catalog_hub_name *hub);

/* Removes its last word, if that does not concern the layers. */
bool pm__catalog_hub_name_cut(pm__catalog_hub_name *hub);

#endif
