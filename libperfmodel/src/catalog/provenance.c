/*
** What a value rests on, as attributes of its element:
**
**     <kernel_time origin="rule" note="as pt-nchw">12 us</kernel_time>
**     <kernel_time fitted_to="keras2018 u39kun" rows="48" date="2026-11" note="+-3 %">12 us</kernel_time>
**
** A value without an origin is what its source says. What was fitted says to what: sources, documents or machines,
** separated by spaces, and as a rule on how many rows, and when.
*/
#include <stdio.h>
#include <string.h>
#include "catalog/entry.h"
#include "perfmodel/units.h"

static const char *const origins[] = {"datasheet", "fitted", "rule", "guess", "default", "fact"};

enum { ORIGINS = sizeof origins / sizeof origins[0], FITTED = 1 };

static const char *find_origin(const char *text)
{
  for (size_t i = 0; i < ORIGINS; i++)
    if (strcmp(origins[i], text) == 0) return origins[i];
  return NULL;
}

/* The origin that a note begins with instead of an attribute ("rule: as Turing", "fitted to four sizes"); or NULL. */
static const char *origin_in_note(const char *note)
{
  for (size_t i = 0; i < ORIGINS; i++) {
    size_t length = strlen(origins[i]);
    if (strncmp(note, origins[i], length) != 0) continue;
    if (strchr(":;,", note[length]) != NULL || (i == FITTED && note[length] == ' ')) return origins[i];
  }
  return NULL;
}

/* "2026-11" or "2026-11-30" */
static bool is_date(const char *text)
{
  static const char form[] = "dddd-dd-dd";
  size_t length = strlen(text);
  if (length != 7 && length != 10) return false;
  for (size_t i = 0; i < length; i++) {
    bool digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == 'd' ? !digit : text[i] != form[i]) return false;
  }
  return true;
}

static int wrong(const pm__entry *entry, const pm__element *e, pm_error *error, const char *what, const char *text)
{
  return pm__entry_fail(entry, e->line, error, PM_STATUS_BAD_VALUE, "%s %s \"%.60s\"", e->name, what, text);
}

static int read_rows(const pm__entry *entry, const pm__element *e, pm__provenance *from, pm_error *error)
{
  double rows;
  const char *text = pm__element_attribute(e, "rows");
  if (text == NULL) return PM_OK;
  if (pm_number_parse(text, &rows) != PM_OK || !(rows >= 1 && rows <= 1e9) || rows > (double)(int)rows)
    return wrong(entry, e, error, "has a number of rows that is no whole number above 0:", text);
  from->rows = (int)rows;
  return PM_OK;
}

static int check_fitted(const pm__entry *entry, const pm__element *e, const pm__provenance *from, pm_error *error)
{
  bool fitted = strcmp(from->origin, origins[FITTED]) == 0;
  bool named = from->fitted_to[strspn(from->fitted_to, " ")] != '\0';
  if (fitted && !named)
    return pm__entry_fail(entry, e->line, error, PM_STATUS_BAD_VALUE,
                          "%s is fitted, but does not state to what: fitted_to=\"...\"",
                          e->name);
  if (!fitted && (named || from->rows > 0 || from->date[0] != '\0'))
    return wrong(entry, e, error, "is said to be fitted to something, but its origin is", from->origin);
  if (from->date[0] != '\0' && !is_date(from->date))
    return wrong(entry, e, error, "has a date that is not written as 2026-11 or 2026-11-30:", from->date);
  return PM_OK;
}

static const char *attribute(const pm__element *e, const char *name)
{
  const char *text = pm__element_attribute(e, name);
  return text != NULL ? text : "";
}

int pm__provenance_read(const pm__entry *entry, const pm__element *e, pm__provenance *from, pm_error *error)
{
  const char *origin = pm__element_attribute(e, "origin");
  from->fitted_to = attribute(e, "fitted_to");
  from->date = attribute(e, "date");
  from->origin = origin != NULL ? find_origin(origin) : from->fitted_to[0] != '\0' ? origins[FITTED] : "";
  if (from->origin == NULL)
    return wrong(entry, e, error, "has an origin that is none of datasheet, fitted, rule, guess, default, fact:",
                 origin);
  if (entry->load == 0 && origin_in_note(from->note) != NULL)
    return wrong(entry, e, error, "has an origin in its note, which belongs in an attribute:", from->note);
  int status = read_rows(entry, e, from, error);
  return status == PM_OK ? check_fitted(entry, e, from, error) : status;
}

void pm__provenance_text(const pm__provenance *from, char *text, size_t size)
{
  size_t used = 0;
#define ADD(...) (used += (size_t)snprintf(text + used, size - used, __VA_ARGS__), used = used < size ? used : size - 1)
  text[0] = '\0';
  if (from->origin[0] != '\0') ADD("%s", from->origin);
  if (from->fitted_to[0] != '\0') {
    const char *parting = ": ";
    if (from->rows > 0) ADD(": %d %s of ", from->rows, from->rows == 1 ? "row" : "rows"), parting = "";
    for (const char *p = from->fitted_to + strspn(from->fitted_to, " "); *p != '\0'; p += strspn(p, " ")) {
      int length = (int)strcspn(p, " ");
      ADD("%s%.*s", parting, length, p);
      parting = ", ";
      p += length;
    }
    if (from->date[0] != '\0') ADD(", %s", from->date);
  }
  if (from->note[0] != '\0') ADD("%s%s", used == 0 ? "" : from->fitted_to[0] != '\0' ? "; " : ": ", from->note);
#undef ADD
}

bool pm__provenance_rests_on(const pm__provenance *from, const char *name)
{
  return pm__list_has(from->fitted_to, name);
}
