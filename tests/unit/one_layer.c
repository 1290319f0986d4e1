/* Networks of one layer or a few, from one line of text. */
#include "one_layer.h"
#include <stdio.h>
#include <string.h>

enum { TEXT = 256, PARTS = 12 };

/* Cuts `text` at blanks, in place. */
static int cut(char *text, char **parts)
{
  int count = 0;
  for (char *part = strtok(text, " "); part != NULL; part = strtok(NULL, " ")) {
    ck_assert_int_lt(count, PARTS);
    parts[count++] = part;
  }
  return count;
}

int try_kind(pm_network *network, const char *kind, const int *inputs, int count, const char *attributes,
             pm_error *error)
{
  char text[TEXT], *parts[PARTS];
  pm_attribute list[PARTS];
  snprintf(text, sizeof text, "%s", attributes);
  int attribute_count = cut(text, parts);
  for (int i = 0; i < attribute_count; i++) {
    char *value = strchr(parts[i], '=');
    ck_assert_ptr_nonnull(value);
    *value = '\0';
    list[i] = (pm_attribute){parts[i], value + 1};
  }
  return pm_network_add(network, kind, NULL, inputs, count, list, (size_t)attribute_count, error);
}

int put_kind(pm_network *network, const char *kind, int input, const char *attributes)
{
  pm_error error = PM_ERROR_NONE;
  int number = try_kind(network, kind, &input, 1, attributes, &error);
  ck_assert_msg(number >= 0, "%s", error.text);
  return number;
}

static int add_input(pm_network *network, const char *text)
{
  int64_t shape[PM__RANK_MAX];
  int rank = 0;
  for (const char *at = text; at != NULL; at = strchr(at, 'x') != NULL ? strchr(at, 'x') + 1 : NULL) {
    long long size;
    ck_assert_int_eq(sscanf(at, "%lld", &size), 1);
    shape[rank++] = size;
  }
  return pm_network_add_input(network, text, shape, rank, NULL);
}

pm_network *try_layer_of(const char *kind, const char *shapes, const char *attributes, bool computed, pm_error *error)
{
  char text[TEXT], *parts[PARTS];
  int inputs[PARTS];
  pm_network *network = pm_network_new("one", NULL, NULL);
  snprintf(text, sizeof text, "%s", shapes);
  int count = cut(text, parts);
  for (int i = 0; i < count; i++) {
    inputs[i] = add_input(network, parts[i]);
    if (computed) inputs[i] = put_kind(network, "relu", inputs[i], "");
  }
  if (try_kind(network, kind, inputs, count, attributes, error) >= 0) return network;
  pm_network_free(network);
  return NULL;
}

pm_network *layer_of(const char *kind, const char *shapes, const char *attributes)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = try_layer_of(kind, shapes, attributes, true, &error);
  ck_assert_msg(network != NULL, "%s", error.text);
  return network;
}

const pm__layer *last_layer(const pm_network *network)
{
  return &network->layers[network->count - 1];
}

const pm__layer_kernel *kernels_of(const pm_network *network, const pm__layer *layer)
{
  return network->kernels != NULL ? &network->kernels[layer->first_kernel] : NULL;
}

double product_flop(const pm_network *network, pm__pass pass)
{
  const pm__layer *layer = last_layer(network);
  const pm__layer_kernel *kernels = kernels_of(network, layer);
  double flop = 0;
  for (size_t i = 0; i < layer->kernel_count; i++) {
    const pm__gemm *gemm = &kernels[i].shape.gemm;
    if (kernels[i].pass != pass || kernels[i].family != PM__GEMM) continue;
    ck_assert(kernels[i].matrix);
    flop += kernels[i].repeats * 2 * gemm->count * gemm->m * gemm->n * gemm->k;
  }
  return flop;
}

double elements_moved(const pm_network *network, pm__pass pass, double batch)
{
  const pm__layer *layer = last_layer(network);
  const pm__layer_kernel *kernels = kernels_of(network, layer);
  double elements = 0;
  for (size_t i = 0; i < layer->kernel_count; i++)
    if (kernels[i].pass == pass)
      elements += kernels[i].repeats * (batch * kernels[i].work.elements + kernels[i].work.fixed_elements);
  return elements;
}

void ck_refused(const char *kind, const char *shapes, const char *attributes, const char *words)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = try_layer_of(kind, shapes, attributes, false, &error);
  ck_assert_msg(network == NULL, "%s of %s with %s is accepted", kind, shapes, attributes);
  ck_assert_msg(strstr(error.text, words) != NULL, "\"%s\" lacks \"%s\"", error.text, words);
}

pm_network_totals totals_of(const pm_network *network)
{
  pm_network_totals totals;
  ck_assert_int_eq(pm_network_get_totals(network, &totals, NULL), PM_OK);
  return totals;
}
