/* Networks: kinds of layers, building, shapes, counts. */

pm_network *pm_network_new(const char *id, const char *name, pm_error *error);

/* Out of a model's config.json: sets are seq, image, flash, id, name. */
pm_network *pm_model_read(const char *text, const char *file, const pm_attribute *ATTRIBUTES, size_t COUNT,
                          pm_error *error);

/* Lines: what was assumed, left out or comes only near. */
const char *pm_network_get_notes(const pm_network *network);

/* The network as a file of the catalogue. */
char *pm_network_format_xml(const pm_network *network, pm_error *error);

%{
/* More than the library takes, which says so itself. */
enum { MOST_DIMENSIONS = 16 };

static const char *layer_kind_at(const void *context, size_t index)
{
  (void)context;
  return pm_layer_kind_get_name(index);
}
%}

%apply (const double *NUMBERS, size_t COUNT) { (const double *shape, size_t rank) };
%apply (const double *NUMBERS, size_t COUNT) { (const double *inputs, size_t input_count) };
%apply (const pm_attribute *ATTRIBUTES, size_t COUNT) { (const pm_attribute *attributes, size_t attribute_count) };

%inline %{
static names layer_kinds(pm_error *error)
{
  return names_list(layer_kind_at, NULL, error);
}

/* What each kind takes, in their order: "out_channels kernel stride=1"; one without a value must be given. */
static names layer_attributes(pm_error *error)
{
  char buffer[1024];
  size_t count = 0;
  while (pm_layer_kind_get_name(count) != NULL) count++;
  names array = names_new(count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = text_copy(pm_layer_kind_format_attributes(i, buffer, sizeof buffer), error);
  return names_if_ok(array, error);
}

/* The layer's number. */
static int network_add_input(pm_network *network, const char *name, const double *shape, size_t rank, pm_error *error)
{
  int64_t sizes[MOST_DIMENSIONS] = {0};
  for (size_t i = 0; i < rank && i < MOST_DIMENSIONS; i++) sizes[i] = whole(shape[i], "dimension", error);
  if (error->status != PM_OK) return -1;
  return pm_network_add_input(network, name, sizes, rank > MOST_DIMENSIONS ? MOST_DIMENSIONS + 1 : (int)rank, error);
}

/* The layer's number. `inputs` are the layers whose outputs it takes; an empty name becomes one of its own. */
static int network_add(pm_network *network, const char *kind, const char *name, const double *inputs,
                       size_t input_count, const pm_attribute *attributes, size_t attribute_count, pm_error *error)
{
  int *layers = (int *)room(input_count, sizeof *layers, error);
  int layer = -1;
  for (size_t i = 0; i < input_count && layers != NULL; i++) layers[i] = whole(inputs[i], "input layer", error);
  if (error->status == PM_OK)
    layer = pm_network_add(network, kind, name, layers, (int)input_count, attributes, attribute_count, error);
  free(layers);
  return layer;
}

/* The output shape of a layer. */
static numbers network_shape(const pm_network *network, double layer, pm_error *error)
{
  int64_t shape[PM_RANK_MAX] = {0};
  int number = whole(layer, "layer", error);
  int rank = number < 0 ? 0 : pm_network_get_shape(network, number, shape);
  numbers array = numbers_new((size_t)rank, error);
  if (rank == 0) fail(error, PM_STATUS_NOT_FOUND, "there is no layer %d", number);
  for (int i = 0; i < rank && array.data != NULL; i++) array.data[i] = (double)shape[i];
  return array;
}

/* One "network" record. */
static records network_totals(const pm_network *network, pm_error *error)
{
  records array = records_new("network", 1, error);
  if (array.data != NULL) pm_network_get_totals(network, (pm_network_totals *)array.data, error);
  return records_if_ok(array, error);
}

/* Counts by "layer" or "kind", or as a "tree" of so many levels, for a batch; the last row is the total if `total` is
** not 0. */
static pm_table *network_table(const pm_network *network, const char *view, double depth,
                               const pm_memory_profile *memory_profile, size_t memory_profile_count, double batch,
                               const char *precision, double total, pm_error *error)
{
  pm_table *table = NULL;
  int number = pm_counts_view_find(view);
  pm_counts_question question = pm_counts_question_make();
  if (number < 0) fail(error, PM_STATUS_NOT_FOUND, "unknown view \"%s\"; known are layer, kind, tree", view);
  else question.view = (pm_counts_view)number;
  question.depth = whole(depth, "depth", error);
  question.batch = batch;
  question.precision = precision_number(precision, error);
  question.profile = memory_profile;
  if (single(memory_profile_count, "memory_profile", error) && error->status == PM_OK)
    table = pm_network_tabulate(network, &question, error);
  if (total == 0) pm_table_set_total(table, PM_TABLE_TOTAL_APART);
  return table;
}
%}
