/* Systems as text, by the name of what is wanted. */
#include "topology/drawing.h"
#include <string.h>
#include "base/base.h"
#include "hardware/system.h"

char *pm_system_format(const pm_system *system, const char *what, pm_error *error)
{
  static const struct {
    const char *name;
    char *(*format)(const pm_system *system, pm_error *error);
  } known[] = {{"matrix", pm__system_format_matrix}, {"dot", pm__system_format_dot},
               {"svg", pm__system_format_svg}, {"copies", pm__system_format_pairs}};
  for (size_t i = 0; what != NULL && i < sizeof known / sizeof known[0]; i++)
    if (strcmp(what, known[i].name) == 0) return known[i].format(system, error);
  pm__fail(error, PM_STATUS_NOT_FOUND, "unknown drawing \"%.60s\"; known are matrix, dot, svg, copies",
           what != NULL ? what : "");
  return NULL;
}
