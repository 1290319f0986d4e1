/* perfmodel validate --set ...: the sets that the library compares. */
#include <stdlib.h>
#include <string.h>
#include "validation.h"

/* What there is to say about the rows, a line at a time. */
static void print_notes(const cli_request *request, const char *notes)
{
  while (notes != NULL && *notes != '\0') {
    size_t length = strcspn(notes, "\n");
    note(request, "%.*s", (int)length, notes);
    notes += length + (notes[length] == '\n');
  }
}

int validate_set(const cli_request *request, const pm_catalog *catalog, const char *set)
{
  pm_error error = PM_ERROR_NONE;
  const char *path = request->value[OPTION_DATA];
  char *data = path != NULL ? pm_file_text(path, &error) : NULL, *notes = NULL;
  if (path != NULL && data == NULL) return fail_error(&error);
  pm_validation what = {set, data, path, request->value[OPTION_ROWS] != NULL};
  pm_table *table = pm_validate(catalog, &what, &notes, &error);
  print_notes(request, notes);
  pm_string_free(notes);
  pm_string_free(data);
  return write_table(request, table, &error);
}
