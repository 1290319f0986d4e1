/* Constants of the model fitted to measurements. */

%typemap(newfree) char *framework_basis, char *calibration_get_xml "free($1);"

%inline %{
/* What the constants of a framework rest on, in words. */
static char *framework_basis(const pm_framework *framework, size_t framework_count, pm_error *error)
{
  char text[PM_FRAMEWORK_BASIS_MAX];
  if (!single(framework_count, "framework", error)) return NULL;
  return text_copy(pm_framework_format_basis(framework, text), error);
}

/* A set: measurements as `data` (text), or those of a file, or, both "", the shipped ones. Lists are separated by
** commas; "": every entry that the rows decide, nothing kept out. */
static pm_calibration *calibrate(const pm_catalog *catalog, const char *set, const char *data, const char *path,
                                 const char *entries, const char *kept, double hold_out_shapes, const char *system,
                                 pm_error *error)
{
  pm_lab lab;
  if (pm_lab_load(&lab, error) != PM_OK) return NULL;
  char *read = path[0] != '\0' ? pm_file_read(path, error) : NULL;
  if (error->status != PM_OK) return NULL;
  pm_calibration_options options = lab.calibration_options_make();
  options.set = set;
  options.data = read != NULL ? read : data[0] != '\0' ? data : NULL;
  options.file = path[0] != '\0' ? path : NULL;
  options.entries = entries[0] != '\0' ? entries : NULL;
  options.hold_out = kept[0] != '\0' ? kept : NULL;
  options.hold_out_shapes = hold_out_shapes;
  options.system = system[0] != '\0' ? system : NULL;
  pm_calibration *calibration = lab.calibrate(catalog, &options, error);
  pm_string_free(read);
  return calibration;
}

/* The constants as a file of the catalogue. */
static char *calibration_get_xml(const pm_calibration *calibration, pm_error *error)
{
  pm_lab lab;
  return pm_lab_load(&lab, error) == PM_OK ? text_copy(lab.calibration_get_xml(calibration), error) : NULL;
}

/* A table of "fitted_constant" records. */
static pm_table *calibration_constants(const pm_calibration *calibration, pm_error *error)
{
  pm_lab lab;
  size_t count;
  if (pm_lab_load(&lab, error) != PM_OK) return NULL;
  const pm_fitted_constant *constants = lab.calibration_get_constants(calibration, &count);
  return records_table("fitted_constant", constants, count, error);
}

/* A table of "fit_error" records, with what there is to say about the rows as its notes. */
static pm_table *calibration_errors(const pm_calibration *calibration, pm_error *error)
{
  pm_lab lab;
  size_t count;
  if (pm_lab_load(&lab, error) != PM_OK) return NULL;
  const pm_fit_error *errors = lab.calibration_get_errors(calibration, &count);
  pm_table *table = records_table("fit_error", errors, count, error);
  if (table == NULL || pm_table_set_notes(table, lab.calibration_get_notes(calibration), error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}
%}
