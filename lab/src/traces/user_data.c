/* What a user gives as measurements: a file of another program, or a table of his own. */
#include "traces/traces.h"

char *pm__lab_trace_table_of(const pm_catalog *catalog, const char *set, const char *shipped, const char *text,
                             const char *file, const char *system, pm__string *notes, pm_error *error)
{
  const pm_attribute one = {"system", system};
  const pm__lab_known known = {&one, system != NULL};
  if (pm_measurements_find_format(text) == NULL) return pm__lab_own_table(set, shipped, text, file, system, error);
  return pm__lab_trace_table(catalog, set, text, file, &known, notes, error);
}
