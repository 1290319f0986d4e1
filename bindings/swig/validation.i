/* Published measurements beside predictions. */

%{
static const char *validation_set_at(const void *lab, size_t index)
{
  return ((const pm_lab *)lab)->validation_get_set(index);
}
%}

%inline %{
static names validation_sets(pm_error *error)
{
  pm_lab lab;
  if (pm_lab_load(&lab, error) != PM_OK) return names_new(0, error);
  return names_list(validation_set_at, &lab, error);
}

/* A set, the user's rows as the text of a table or the path of one ("" for none), and whether a row is wanted for
** each measurement, what its rows are of ("": anything), and the system of a file that does not say it. */
static pm_table *validate_table(const pm_catalog *catalog, const char *set, const char *data, const char *path,
                                double rows, const char *only, const char *system, pm_error *error)
{
  pm_lab lab;
  if (pm_lab_load(&lab, error) != PM_OK) return NULL;
  char *read = path[0] != '\0' ? pm_file_read(path, error) : NULL;
  if (error->status != PM_OK) return NULL;
  pm_validation what = {.set = set, .data = read != NULL ? read : data[0] != '\0' ? data : NULL,
                        .file = path[0] != '\0' ? path : NULL, .rows = rows != 0,
                        .only = only[0] != '\0' ? only : NULL, .system = system[0] != '\0' ? system : NULL};
  pm_table *table = lab.validate(catalog, &what, error);
  pm_string_free(read);
  return table;
}
%}
