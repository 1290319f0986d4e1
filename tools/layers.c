/* perfmodel layers: a network, counted: layer by layer, by kind of layer, or as a tree. */
#include <math.h>
#include <string.h>
#include "command.h"

static int read_view(const cli_request *request, pm_counts_view *view)
{
#define VIEW_NAME(name, text, doc) text,
  static const char *const names[] = {PM_COUNTS_VIEW_LIST(VIEW_NAME) NULL};
#undef VIEW_NAME
  const char *by = request->value[OPTION_BY];
  int found = by != NULL ? pm_counts_view_find(by) : (int)PM_COUNTS_VIEW_LAYERS;
  if (found >= 0) {
    *view = (pm_counts_view)found;
    return CODE_DONE;
  }
  const char *meant = closest_name(by, names);
  if (meant != NULL) return fail(CODE_USAGE, "--by \"%.80s\" is unknown; did you mean \"%s\"?", by, meant);
  return fail(CODE_USAGE, "--by \"%.80s\" is unknown; it is layer, kind or tree", by);
}

static int read_question(const cli_request *request, pm_counts_question *question)
{
  double depth;
  int32_t precision = PM_PRECISION_FP32;
  *question = pm_counts_question_make();
  int code = read_view(request, &question->view);
  if (code != CODE_DONE) return code;
  if (!read_count_option(request, OPTION_BATCH, COUNT_MOST, 1, &question->batch) ||
      !read_count_option(request, OPTION_DEPTH, COUNT_MOST, question->depth, &depth) ||
      !read_precision(request->value[OPTION_PRECISION], &precision))
    return CODE_USAGE;
  if (request->value[OPTION_DEPTH] != NULL && question->view != PM_COUNTS_VIEW_TREE)
    return fail(CODE_USAGE, "--depth is for --by tree");
  question->depth = (int)depth;
  question->precision = precision;
  return CODE_DONE;
}

static int run(const cli_request *request)
{
  pm_error error = PM_ERROR_NONE;
  pm_counts_question question;
  pm_memory_profile profile;
  const char *framework = request->value[OPTION_FRAMEWORK];
  int code = read_question(request, &question);
  if (code != CODE_DONE) return code;
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  if (framework == NULL) framework = "pytorch";
  if (pm_catalog_get_memory_profile(catalog, framework, &profile, &error) != PM_OK) code = fail_error(&error);
  question.profile = &profile;
  pm_network *network = code == CODE_DONE ? open_network(request, catalog, request->arguments.items[0], &code) : NULL;
  if (network != NULL) code = write_table(request, pm_network_tabulate(network, &question, &error), &error);
  pm_network_free(network);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_BY, '\0', "by", "layer|kind|tree", "rows: layers (default), kinds of layers, or parts of the "
                                             "network by the dots in its layers' names"},
  {OPTION_DEPTH, '\0', "depth", "N", "levels of a tree (default 2)"},
  {OPTION_BATCH, '\0', "batch", "N", "batch of the counts (default 1)"},
  {OPTION_PRECISION, '\0', "precision", "NAME", "precision of the bytes (default fp32); see perfmodel list "
                                                "precisions"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME", "how activations are saved (default pytorch); see perfmodel list "
                                                "memory_profiles"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value, such as classes=10; may be "
                                          "repeated"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command layers_command = {
  "layers", "NETWORK", "counts a network by layer, kind or part: parameters, MAC, FLOP, bytes",
  "Prints parameters, multiply-accumulates (MAC) of the forward pass, arithmetic (FLOP) of it and of training, bytes "
  "and gamma for the whole batch, and their total in the last row: of every layer, of every kind of layer, or of every "
  "part of the network down to a depth.\n\n"
  "1 MAC is 2 FLOP; FLOP also counts bias and element-wise arithmetic. mac_bnl is MAC + bias + 4 per batch-norm "
  "element + 1 per ReLU element; gamma is mac_bnl / parameters: how often a parameter is used. saved is what the "
  "backward pass needs of the activations, counted with the first layer that needs it. Shapes are per sample. A layer "
  "belongs to the parts that its name begins with, up to a dot; csv and json have the whole names.",
  "perfmodel layers resnet50 --by tree --batch 32", options, 1, 1, run};
