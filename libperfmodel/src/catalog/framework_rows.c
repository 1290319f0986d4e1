/* The rows that the host times of a framework were fitted to, its own or those of the entries that it has them from. */
#include <string.h>
#include "catalog/entry.h"

/* Adds the words that are not there yet, as many as there is room for. */
static void add_words(char *list, const char *words)
{
  for (const char *p = words + strspn(words, " "); *p != '\0'; p += strspn(p, " ")) {
    size_t length = strcspn(p, " "), used = strlen(list);
    if (used + length + 2 <= PM_TEXT_MAX && !pm__list_has_part(list, p, length)) {
      if (used > 0) list[used++] = ' ';
      memcpy(list + used, p, length);
      list[used + length] = '\0';
    }
    p += length;
  }
}

/* Adds what a value was fitted to. */
static void add_fitted(const pm__provenance *from, pm_framework *framework)
{
  if (from->fitted_to[0] == '\0') return;
  add_words(framework->fitted_to, from->fitted_to);
  if (from->rows > framework->rows) framework->rows = from->rows;
  if (strcmp(from->date, framework->date) > 0) pm__text_set(framework->date, sizeof framework->date, from->date);
}

int pm__framework_fitted_to(const pm_catalog *catalog, const pm__entry *entry, pm_framework *framework,
                            pm_error *error)
{
  static const char *const names[] = {"kernel_time", "step_time", "straggler"};
  int status = PM_OK;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && status == PM_OK; i++) {
    const pm__entry *stating;
    const size_t field = (size_t)(pm_record_find_field(entry->type, names[i]) - entry->type->fields);
    status = pm__entry_find_stating(catalog, entry, names[i], &stating, error);
    if (stating != NULL) add_fitted(&stating->from[field], framework);
  }
  return status;
}
