/* Constants of kernels fitted to measurements. */

/* The constants as a file of the catalogue. */
char *pm_kernel_fit_xml(const pm_kernel_fit *fit, const pm_catalog *catalog, pm_error *error);

%inline %{
/* Measurements: `data` (CSV), or those of a file, or, both "", the shipped ones. Lists of ids parted by commas, "": all
** architectures, no GPU kept out. */
static pm_kernel_fit *calibrate_kernels(const pm_catalog *catalog, const char *data, const char *path,
                                        const char *architectures, const char *kept_gpus, double kept_shapes,
                                        pm_error *error)
{
  char *read = path[0] != '\0' ? pm_file_text(path, error)
               : data[0] == '\0' ? pm_shipped_text("measured/kernels.csv", error) : NULL;
  if (error->status != PM_OK) return NULL;
  pm_kernel_fit_options options = pm_kernel_fit_options_default();
  options.architectures = architectures[0] != '\0' ? architectures : NULL;
  options.kept_gpus = kept_gpus[0] != '\0' ? kept_gpus : NULL;
  options.kept_shapes = kept_shapes;
  pm_kernel_rows *rows = pm_kernel_rows_new(catalog, read != NULL ? read : data, path[0] != '\0' ? path : "data", error);
  pm_kernel_fit *fit = rows != NULL ? pm_kernel_fit_new(catalog, rows, &options, error) : NULL;
  pm_kernel_rows_free(rows);
  pm_string_free(read);
  return fit;
}

/* A table of "fitted_constant" records. */
static pm_table *calibration_constants(const pm_kernel_fit *fit, pm_error *error)
{
  size_t count;
  const pm_fitted_constant *constants = pm_kernel_fit_constants(fit, &count);
  return records_table("fitted_constant", constants, count, error);
}

/* A table of "fit_error" records. */
static pm_table *calibration_errors(const pm_kernel_fit *fit, pm_error *error)
{
  size_t count;
  const pm_fit_error *errors = pm_kernel_fit_errors(fit, &count);
  return records_table("fit_error", errors, count, error);
}
%}
