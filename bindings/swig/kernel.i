/* Times of kernels and of layers on one GPU. Without constants: by the plain roofline. */

%inline %{
/* What the kernels of a GPU rest on, in words. */
static char *catalog_explain_calibration(const pm_catalog *catalog, const pm_gpu *gpu, size_t gpu_count,
                                         const char *precision, pm_error *error)
{
  int number = precision_number(precision, error);
  if (number < 0 || !single(gpu_count, "gpu", error)) return NULL;
  return pm_catalog_explain_calibration(catalog, gpu, number, error);
}

/* What optimizers take: an "optimizer" record for each choice. */
static records optimizers(pm_error *error)
{
  records array = records_new("optimizer", PM_OPTIMIZER_COUNT, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    ((pm_optimizer *)array.data)[i] = *pm_optimizer_get((int32_t)i);
  return records_if_ok(array, error);
}

static double catalog_usable_memory(const pm_catalog *catalog, const pm_gpu *gpu, size_t gpu_count, pm_error *error)
{
  double bytes = NAN;
  if (single(gpu_count, "gpu", error)) pm_catalog_get_usable_memory(catalog, gpu, &bytes, error);
  return bytes;
}

/* One "kernel_time" record per kernel. */
static records kernel_times(const pm_gpu *gpu, size_t gpu_count, const pm_kernel_calibration *kernel_calibration,
                            size_t kernel_calibration_count, const pm_kernel *kernel, size_t kernel_count,
                            pm_error *error)
{
  records array = records_new("kernel_time", kernel_count, error);
  if (single(gpu_count, "gpu", error) && error->status == PM_OK)
    pm_kernel_predict(gpu, kernel_calibration_count > 0 ? kernel_calibration : NULL, kernel,
                      (pm_kernel_time *)array.data, kernel_count, error);
  return records_if_ok(array, error);
}

/* A table of "layer_time" records, one row per layer. */
static pm_table *network_times(const pm_network *network, const pm_gpu *gpu, size_t gpu_count,
                               const pm_kernel_calibration *kernel_calibration, size_t kernel_calibration_count,
                               double batch, const char *precision, pm_error *error)
{
  int number = precision_number(precision, error);
  records rows = records_new("layer_time", (size_t)pm_network_count_layers(network), error);
  if (single(gpu_count, "gpu", error) && error->status == PM_OK)
    pm_network_get_times(network, gpu, kernel_calibration_count > 0 ? kernel_calibration : NULL, batch, number,
                         (pm_layer_time *)rows.data, error);
  return records_as_table(rows, error);
}
%}
