/*
** Trainable layers by the patterns of their names, "*.norm,lm_head"; all others are frozen:
**
**     *       any letters, none too; a pattern is of a whole name, or of all that its layers' names go on with behind a
**             dot: layers.31 is all of that layer
**
** A frozen layer has no gradients of parameters, no optimizer states and no update; gradients pass through it if a
** layer before it is trained, else it has no backward pass. Parameters that layers share are trained together.
*/
#include <stdlib.h>
#include <string.h>
#include "network/network.h"
#include "network/trainable.h"

/* Whether a pattern of so many letters is that of the name; `*` is tried from its longest start on. */
static bool matches(const char *pattern, size_t length, const char *name)
{
  size_t p = 0, star = SIZE_MAX;
  const char *back = name, *n = name;
  while (*n != '\0') {
    if (p < length && pattern[p] == '*') star = p++, back = n;
    else if (p < length && pattern[p] == *n) p++, n++;
    else if (p == length && *n == '.') return true;
    else if (star == SIZE_MAX) return false;
    else p = star + 1, n = ++back;
  }
  while (p < length && pattern[p] == '*') p++;
  return p == length;
}

/* Marks what one pattern names; whether there is any. */
static bool mark(const pm_network *network, const char *pattern, size_t length, bool *trained)
{
  bool any = false;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    if (layer->kind == NULL || !matches(pattern, length, layer->name)) continue;
    trained[i] = any = true;
  }
  return any;
}

/* A table and the product that has its parameters. */
static void mark_shared(const pm_network *network, bool *trained)
{
  bool shares = false;
  for (size_t i = 0; i < network->count; i++) shares |= trained[i] && network->layers[i].tied > 0;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    bool table = layer->kind != NULL && layer->kind->parameters == PM__TABLE;
    if (shares && table) trained[i] = true;
  }
  bool tables = false;
  for (size_t i = 0; i < network->count; i++)
    tables |= trained[i] && network->layers[i].kind != NULL && network->layers[i].kind->parameters == PM__TABLE;
  for (size_t i = 0; i < network->count; i++)
    if (tables && network->layers[i].tied > 0) trained[i] = true;
}

static int mark_all(const pm_network *network, const char *patterns, bool *trained, pm_error *error)
{
  double parameters = 0;
  for (size_t length; *patterns != '\0'; patterns += length + strspn(patterns + length, ", ")) {
    length = strcspn(patterns, ", ");
    if (length > 0 && !mark(network, patterns, length, trained))
      return pm__fail(error, PM_STATUS_NOT_FOUND, "trainable \"%.*s\": no layer of \"%s\" matches; to list the "
                      "layers: perfmodel layers %s", (int)(length < 60 ? length : 60), patterns, network->id,
                      network->id);
  }
  mark_shared(network, trained);
  for (size_t i = 0; i < network->count; i++)
    if (trained[i]) parameters += network->layers[i].parameters + network->layers[i].tied;
  if (parameters > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "trainable names no layer of \"%s\" that has parameters, such as "
                  "trainable=\"*.norm,lm_head\" of llama3-8b", network->id);
}

static pm_network *copy_of(const pm_network *network, const bool *trained, pm_error *error)
{
  pm_network *copy = pm_network_new(network->id, network->name, error);
  int status = copy != NULL ? 0 : -1;
  for (size_t i = 0; i < network->count && status >= 0; i++)
    status = pm__network_copy_layer(copy, network, i, trained[i] ? PM__TRAINED : PM__FROZEN, error);
  if (status >= 0) return copy;
  pm_network_free(copy);
  return NULL;
}

static const char *patterns_of(const char *usual, const pm_attribute *sets, size_t count)
{
  const char *patterns = usual;
  for (size_t i = 0; i < count; i++)
    if (pm__is_trainable(&sets[i])) patterns = sets[i].value;
  return patterns;
}

pm_network *pm__network_take_trainable(pm_network *network, const char *usual, const pm_attribute *sets, size_t count,
                                       pm_error *error)
{
  const char *patterns = patterns_of(usual, sets, count);
  if (network == NULL || patterns == NULL) return network;
  bool *trained = (bool *)calloc(network->count + 1, sizeof *trained);
  int status = trained != NULL ? mark_all(network, patterns, trained, error) : pm__no_memory(error);
  pm_network *copy = status == PM_OK ? copy_of(network, trained, error) : NULL;
  if (copy != NULL) {
    char *notes = copy->notes;
    copy->notes = network->notes;
    network->notes = notes;
    copy->weights = network->weights;
    copy->expert_weights = network->expert_weights;
  }
  free(trained);
  pm_network_free(network);
  return copy;
}
