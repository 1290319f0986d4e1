/* The catalogue: kinds, ids, records, and what is made of its entries. */

pm_catalog *pm_catalog_new(pm_error *error);
void pm_catalog_load(pm_catalog *catalog, const char *path, pm_error *error);
void pm_catalog_load_text(pm_catalog *catalog, const char *text, const char *name, pm_error *error);
const char *pm_catalog_resolve(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error);
pm_table *pm_catalog_list(const pm_catalog *catalog, const char *kind, pm_error *error);
pm_table *pm_catalog_show(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error);
char *pm_catalog_export(const pm_catalog *catalog, const char *kind, const char *name, const char *id, pm_error *error);
pm_network *pm_catalog_new_network(const pm_catalog *catalog, const char *name, const pm_attribute *ATTRIBUTES,
                               size_t COUNT, pm_error *error);
pm_system *pm_catalog_new_system(const pm_catalog *catalog, const char *name, pm_error *error);

%{
typedef struct id_list {
  const pm_catalog *catalog;
  const char *kind;
} id_list;

static const char *id_at(const void *context, size_t index)
{
  const id_list *list = (const id_list *)context;
  return pm_catalog_get_id(list->catalog, list->kind, index);
}

static const char *note_at(const void *context, size_t index)
{
  return pm_catalog_get_note((const pm_catalog *)context, index);
}

static const char *kind_at(const void *context, size_t index)
{
  (void)context;
  return pm_catalog_get_kind(index);
}
%}

%inline %{
static names catalog_kinds(pm_error *error)
{
  return names_list(kind_at, NULL, error);
}

static names catalog_notes(const pm_catalog *catalog, pm_error *error)
{
  return names_list(note_at, catalog, error);
}

static names catalog_ids(const pm_catalog *catalog, const char *kind, pm_error *error)
{
  id_list list = {catalog, kind};
  if (pm_catalog_count(catalog, kind) < 0) fail(error, PM_STATUS_NOT_FOUND, "the catalogue has no \"%s\"", kind);
  return names_list(id_at, &list, error);
}

/* One record, of the kind's type. Memory is known by the names of frameworks too. */
static records catalog_record(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error)
{
  const pm_record_type *type = pm_catalog_get_record_type(kind);
  if (type == NULL) fail(error, PM_STATUS_NOT_FOUND, "the catalogue has no records of kind \"%s\"", kind);
  records array = records_new(type == NULL ? "" : type->name, 1, error);
  int memory = type == pm_record_type_find("memory_profile");
  if (error->status == PM_OK && memory)
    pm_catalog_get_memory_profile(catalog, name, (pm_memory_profile *)array.data, error);
  else if (error->status == PM_OK) pm_catalog_get_record(catalog, kind, name, array.data, error);
  return records_if_ok(array, error);
}

/* One of the records of a framework by name ("pytorch", "tf1-nchw@cudnn6") as GPUs of an architecture ("": any) have
** it: "framework", "cudnn_generation", "prediction_interval" or "memory_profile". */
static records catalog_framework(const pm_catalog *catalog, const char *name, const char *architecture,
                                 const char *part,
                                 pm_error *error)
{
  pm_framework_profile profile;
  const records none = {NULL, NULL, 0};
  if (pm_catalog_get_framework_on(catalog, name, architecture, &profile, error) != PM_OK) return none;
  if (strcmp(part, "framework") == 0) return record_copy(part, &profile.framework, error);
  if (strcmp(part, "cudnn_generation") == 0) return record_copy(part, &profile.cudnn, error);
  if (strcmp(part, "memory_profile") == 0) return record_copy(part, &profile.memory, error);
  return record_copy("prediction_interval", &profile.interval, error);
}

/* How inference is run on GPUs of an architecture ("": any), by the name of a profile or a framework: one
** "inference_profile" record. */
static records catalog_inference(const pm_catalog *catalog, const char *name, const char *architecture, pm_error *error)
{
  const records none = {NULL, NULL, 0};
  pm_inference_profile profile;
  if (pm_catalog_get_inference_on(catalog, name, architecture, &profile, error) != PM_OK) return none;
  return record_copy("inference_profile", &profile, error);
}

/* A serving engine by name as GPUs of an architecture ("": any) have it: one "engine" record. */
static records catalog_engine(const pm_catalog *catalog, const char *name, const char *architecture, pm_error *error)
{
  const records none = {NULL, NULL, 0};
  pm_engine_profile profile;
  if (pm_catalog_get_engine_on(catalog, name, architecture, &profile, error) != PM_OK) return none;
  return record_copy("engine", &profile.engine, error);
}

/* The constants of a GPU as one "kernel_calibration" record; none if its architecture has none. */
static records catalog_kernels(const pm_catalog *catalog, const pm_gpu *gpu, size_t gpu_count, pm_error *error)
{
  records array = records_new("kernel_calibration", 1, error);
  if (single(gpu_count, "gpu", error) && error->status == PM_OK &&
      pm_catalog_get_kernels(catalog, gpu, (pm_kernel_calibration *)array.data, NULL) != PM_OK)
    array.count = 0;
  return records_if_ok(array, error);
}
%}
