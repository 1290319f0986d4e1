/* Systems, their links and rings; copies with a part exchanged. */

%inline %{
/* One "machine" record. */
static records system_machine(const pm_system *system, pm_error *error)
{
  return record_copy("machine", pm_system_get_machine(system), error);
}

/* One "gpu" record. */
static records system_gpu(const pm_system *system, pm_error *error)
{
  return record_copy("gpu", pm_system_get_gpu(system), error);
}

/* The link graph, as a table of "edge" records. */
static pm_table *system_edges(const pm_system *system, pm_error *error)
{
  records rows = records_new("edge", (size_t)pm_system_count_edges(system), error);
  for (size_t i = 0; i < rows.count && error->status == PM_OK; i++)
    pm_system_get_edge(system, (int)i, (pm_edge *)rows.data + i);
  return records_as_table(rows, error);
}

/* The link graph as "matrix", "dot" or "svg"; "copies" is what a peer-to-peer test prints. */
static char *system_drawing(const pm_system *system, const char *as, pm_error *error)
{
  return pm_system_format(system, as, error);
}

/* The system with another GPU. */
static pm_system *system_with_gpu(const pm_system *system, const pm_gpu *gpu, size_t gpu_count,
                                  const pm_kernel_calibration *kernel_calibration, size_t kernel_calibration_count,
                                  pm_error *error)
{
  if (!single(gpu_count, "gpu", error)) return NULL;
  const pm_system_change change = {.gpu = gpu, .kernels = kernel_calibration_count > 0 ? kernel_calibration : NULL};
  return pm_system_new_with(system, &change, error);
}

/* The system with a link instead of another; of "": of its network. */
static pm_system *system_with_link(const pm_catalog *catalog, const pm_system *system, const char *replaced,
                                   const char *link, pm_error *error)
{
  pm_link record;
  pm_link_calibration calibration;
  if (pm_catalog_get_record(catalog, "link", link, &record, error) != PM_OK) return NULL;
  int known = pm_catalog_get_record(catalog, "calibration", record.id, &calibration, NULL) == PM_OK;
  const char *id = replaced[0] != '\0' ? pm_catalog_resolve(catalog, "links", replaced, error) : NULL;
  if (error->status != PM_OK) return NULL;
  const pm_system_change change = {.link = &record, .replaced = id, .calibration = known ? &calibration : NULL};
  return pm_system_new_with(system, &change, error);
}

/* The SI unit of a number of the hardware, by path. */
static const char *hardware_unit(const char *path, pm_error *error)
{
  const pm_field *field = pm_hardware_find_field(path, error);
  return field == NULL ? NULL : field->unit;
}

/* The system with another number: a value with its unit, or a factor, "x1.1". */
static pm_system *system_with_number(const pm_system *system, const char *path, const char *value, pm_error *error)
{
  return pm_system_new_with_number(system, path, value, error);
}
%}
