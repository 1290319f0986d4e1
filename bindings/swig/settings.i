/* Runs as other programs have them. */

%inline %{
/* The settings of a file; format "": by what it looks like. */
static pm_table *settings_table(const char *format, const char *path, pm_error *error)
{
  char *text = pm_file_read(path, error);
  if (error->status != PM_OK) return NULL;
  pm_table *table = pm_settings_read(format[0] != '\0' ? format : NULL, text, path, error);
  pm_string_free(text);
  return table;
}

/* The settings of a text. */
static pm_table *settings_of_text(const char *format, const char *text, pm_error *error)
{
  return pm_settings_read(format, text, format, error);
}
%}

/* Settings of a run as that program is told them. */
char *pm_settings_write(const char *format, const pm_attribute *ATTRIBUTES, size_t COUNT, pm_error *error);
