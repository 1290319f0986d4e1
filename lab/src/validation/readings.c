/* Cells of a row, and the rules of the catalogue that say what the names in them mean. */
#include "validation/readings.h"
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "base/words.h"
#include "validation/formula.h"

typedef struct title {
  const char *text, *other;
} title;

static const title titles[PM__COLUMNS] = {
#define TITLE(name, text, other) {text, other},
  PM__COLUMN_LIST(TITLE)
#undef TITLE
};

void pm__lab_row_columns(const pm__csv *table, int columns[PM__COLUMNS])
{
  for (int i = 0; i < PM__COLUMNS; i++) {
    columns[i] = pm__csv_column(table, titles[i].text);
    if (columns[i] < 0 && titles[i].other[0] != '\0') columns[i] = pm__csv_column(table, titles[i].other);
  }
}

void pm__lab_row_get(const pm__csv *table, size_t index, const int columns[PM__COLUMNS], pm__lab_row *row)
{
  for (int i = 0; i < PM__COLUMNS; i++) row->cell[i] = pm__csv_cell(table, index, columns[i]);
  snprintf(row->origin, sizeof row->origin, "%.150s %.150s", row->cell[PM__COLUMN_REPOSITORY],
           row->cell[PM__COLUMN_PATH]);
  row->line = index;
  row->date[0] = '\0';
  row->set = "";
  row->rules = NULL;
  memset(row->seen, 0, sizeof row->seen);
}

const char *pm__lab_row_cell(const pm__lab_row *row, const char *text)
{
  for (int i = 0; i < PM__COLUMNS; i++)
    if (strcmp(titles[i].text, text) == 0) return row->cell[i];
  return NULL;
}

double pm__lab_row_number(const pm__lab_row *row, pm__lab_column column)
{
  double value;
  return pm_number_parse(row->cell[column], &value) == PM_OK ? value : (double)NAN;
}

void pm__lab_source_name(const char *source, char *text, size_t size)
{
  const char *slash = strrchr(source, '/'), *start = slash != NULL ? slash + 1 : source, *end = strstr(start, " (");
  snprintf(text, size, "%.*s", (int)(end != NULL ? end - start : (ptrdiff_t)strlen(start)), start);
}

/* The first texts of each condition, and of each rule which of them were tried and held, a bit for each. */
enum { TEXTS = 64, TEXT_BYTES = 48 };

struct pm__lab_seen {
  char texts[PM__CONDITIONS][TEXTS][TEXT_BYTES];
  unsigned char count[PM__CONDITIONS];
  struct {
    uint64_t tried, held;
  } rules[][PM__CONDITIONS];
};

static pm__lab_seen *new_seen(size_t rules)
{
  return (pm__lab_seen *)calloc(1, sizeof(pm__lab_seen) + (rules + 1) * sizeof ((pm__lab_seen *)NULL)->rules[0]);
}

/* Rules that decide the same follow each other, in their order: a row asks for one decision after the other. */
static int chain(pm__lab_readings *readings, pm_error *error)
{
  size_t last[PM_DECISION_COUNT];
  readings->next = (size_t *)malloc((readings->count + 1) * sizeof *readings->next);
  if (readings->next == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < PM_DECISION_COUNT; i++) readings->first[i] = last[i] = readings->count;
  for (size_t i = 0; i < readings->count; i++) {
    size_t decision = (size_t)readings->items[i].decides;
    if (readings->first[decision] == readings->count) readings->first[decision] = i;
    else readings->next[last[decision]] = i;
    readings->next[i] = readings->count;
    last[decision] = i;
  }
  return PM_OK;
}

int pm__lab_readings_new(pm__lab_readings *readings, const pm_catalog *catalog, pm_error *error)
{
  int count = pm_catalog_count(catalog, "reading");
  readings->count = count > 0 ? (size_t)count : 0;
  readings->items = (pm_reading *)calloc(readings->count + 1, sizeof *readings->items);
  if (readings->items == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < readings->count; i++) {
    const char *id = pm_catalog_get_id(catalog, "reading", i);
    int status = pm_catalog_get_record(catalog, "reading", id, &readings->items[i], error);
    if (status != PM_OK) return status;
  }
  if ((readings->seen = new_seen(readings->count)) == NULL) return pm__no_memory(error);
  return chain(readings, error);
}

void pm__lab_readings_free(pm__lab_readings *readings)
{
  free(readings->items);
  free(readings->next);
  free(readings->seen);
  readings->items = NULL;
  readings->next = NULL;
  readings->seen = NULL;
  readings->count = 0;
}

/* ---- Conditions ---- */

static bool in_time(const pm_reading *rule, const char *date)
{
  if (rule->since[0] == '\0' && rule->until[0] == '\0') return true;
  if (date[0] == '\0') return false;
  return (rule->since[0] == '\0' || strcmp(date, rule->since) >= 0) &&
         (rule->until[0] == '\0' || strcmp(date, rule->until) <= 0);
}

/* Conditions of a rule and what they are on. Most rules are of one source, which is looked at first. */
enum { ORIGIN = -1, SET = -2 };

static const struct {
  size_t offset;
  int column;
} conditions[PM__CONDITIONS] = {
#define CONDITION(field, column) {offsetof(pm_reading, field), column}
  CONDITION(origin, ORIGIN), CONDITION(set, SET), CONDITION(model, PM__COLUMN_MODEL),
  CONDITION(framework, PM__COLUMN_FRAMEWORK), CONDITION(version, PM__COLUMN_VERSION), CONDITION(gpu, PM__COLUMN_GPU),
  CONDITION(system, PM__COLUMN_SYSTEM), CONDITION(precision, PM__COLUMN_PRECISION), CONDITION(unit, PM__COLUMN_UNIT),
  CONDITION(sequence, PM__COLUMN_SEQUENCE), CONDITION(batch, PM__COLUMN_BATCH),
  CONDITION(serving, PM__COLUMN_SERVING), CONDITION(schedule, PM__COLUMN_SCHEDULE), CONDITION(remark, PM__COLUMN_NOTE),
#undef CONDITION
};

static const char *text_of(const pm__lab_row *row, size_t condition)
{
  int column = conditions[condition].column;
  return column == ORIGIN ? row->origin : column == SET ? row->set : row->cell[column];
}

void pm__lab_readings_know(const pm__lab_readings *readings, pm__lab_row *row)
{
  pm__lab_seen *seen = readings->seen;
  for (size_t i = 0; i < PM__CONDITIONS; i++) {
    const char *text = text_of(row, i);
    unsigned k = 0;
    while (k < seen->count[i] && strcmp(seen->texts[i][k], text) != 0) k++;
    bool fits = k < TEXTS && strlen(text) < TEXT_BYTES;
    if (fits && k == seen->count[i]) strcpy(seen->texts[i][seen->count[i]++], text);
    row->seen[i] = fits ? (unsigned char)(k + 1) : 0;
  }
}

static bool condition_holds(const pm__lab_readings *readings, size_t rule, size_t i, const pm__lab_row *row)
{
  const char *condition = (const char *)&readings->items[rule] + conditions[i].offset;
  if (condition[0] == '\0') return true;
  if (row->seen[i] == 0) return pm__words_hold(condition, text_of(row, i));
  uint64_t bit = UINT64_C(1) << (row->seen[i] - 1), *tried = &readings->seen->rules[rule][i].tried;
  uint64_t *held = &readings->seen->rules[rule][i].held;
  if ((*tried & bit) == 0 && pm__words_hold(condition, text_of(row, i))) *held |= bit;
  *tried |= bit;
  return (*held & bit) != 0;
}

static bool holds(const pm__lab_readings *readings, size_t rule, const pm__lab_row *row)
{
  if (!in_time(&readings->items[rule], row->date)) return false;
  for (size_t i = 0; i < PM__CONDITIONS; i++)
    if (!condition_holds(readings, rule, i, row)) return false;
  return true;
}

/* ---- Values ---- */

/* Puts the cells of the row instead of {column}; false if one is empty, or the text too long. */
static bool fill_in(const char *value, const pm__lab_row *row, char *out)
{
  size_t used = 0;
  while (*value != '\0') {
    const char *end = *value == '{' ? strchr(value, '}') : NULL, *text = value;
    char name[PM_TEXT_MAX];
    int length = 1;
    if (end != NULL) {
      snprintf(name, sizeof name, "%.*s", (int)(end - value - 1), value + 1);
      text = pm__lab_row_cell(row, name);
      if (text == NULL || text[0] == '\0') return false;
      length = (int)strlen(text);
    }
    if (used + (size_t)length >= PM__VALUE_LONGEST) return false;
    memcpy(out + used, text, (size_t)length);
    used += (size_t)length;
    value = end != NULL ? end + 1 : value + 1;
  }
  out[used] = '\0';
  return true;
}

/* Each rule once, whoever asks how often. */
static void note_rule(const pm__lab_row *row, const pm_reading *rule)
{
  const char *text = row->rules != NULL && row->rules->text != NULL ? row->rules->text : "";
  size_t length = strlen(rule->id);
  if (row->rules == NULL) return;
  for (const char *p = strstr(text, rule->id); p != NULL; p = strstr(p + 1, rule->id))
    if ((p == text || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0')) return;
  pm__string_format(row->rules, "%s%s", text[0] != '\0' ? " " : "", rule->id);
}

const char *pm__lab_readings_decide(const pm__lab_readings *readings, pm_decision decision, const pm__lab_row *row,
                                    char *value)
{
  if (readings->count == 0) return NULL;
  for (size_t i = readings->first[decision]; i < readings->count; i = readings->next[i]) {
    const pm_reading *rule = &readings->items[i];
    if (!holds(readings, i, row) || !fill_in(rule->value, row, value)) continue;
    note_rule(row, rule);
    return value;
  }
  return NULL;
}

static int column_value(void *user, const char *name, const char *arguments, double *value, pm_error *error)
{
  const char *text = pm__lab_row_cell((const pm__lab_row *)user, name);
  (void)arguments;
  if (text != NULL && pm_number_parse(text, value) == PM_OK) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "a reading needs column \"%s\"", name);
}

double pm__lab_readings_number(const pm__lab_readings *readings, pm_decision decision, const pm__lab_row *row,
                               pm_error *error)
{
  char value[PM__VALUE_LONGEST];
  pm__lab_formula formula;
  pm__lab_row copy = *row;
  if (pm__lab_readings_decide(readings, decision, row, value) == NULL) return (double)NAN;
  return pm__lab_formula_evaluate(value, column_value, &copy, &formula, error) == PM_OK ? formula.value : (double)NAN;
}

/* ---- Dates ---- */

/* "NGC 20.06" -> "2020-06", "2.3.0a0+40ec155e58.nv24.03" -> "2024-03" */
static bool date_of_container(const char *version, char *date)
{
  int year, month;
  const char *tag = strstr(version, "NGC "), *build = strstr(version, ".nv");
  const char *number = tag != NULL ? tag + 4 : build != NULL ? build + 3 : "";
  if (sscanf(number, "%2d.%2d", &year, &month) != 2 || month < 1 || month > 12) return false;
  snprintf(date, 8, "20%02u-%02u", (unsigned)year % 100, (unsigned)month % 100);
  return true;
}

/* "654ba0434b 2021-12-17" -> "2021-12" */
static bool date_in(const char *text, char *date)
{
  for (; *text != '\0'; text++) {
    int year, month;
    if (!isdigit((unsigned char)*text) || sscanf(text, "%4d-%2d", &year, &month) != 2) continue;
    if (year < 2010 || year > 2099 || month < 1 || month > 12) continue;
    snprintf(date, 8, "%04u-%02u", (unsigned)year % 10000, (unsigned)month % 100);
    return true;
  }
  return false;
}

/* "TensorFlow 2.4", or version 2.4.0 of TensorFlow -> "2020-12". TensorFlow's own pages date its releases; later ones
** count as the last of these, which is the last that profiles tell apart. */
static bool date_of_tensorflow(const pm__lab_row *row, char *date)
{
  static const char *const dates[] = {"2019-09", "2020-01", "2020-05", "2020-07", "2020-12"};
  enum { LAST = sizeof dates / sizeof dates[0] - 1 };
  const char *framework = row->cell[PM__COLUMN_FRAMEWORK], *version = row->cell[PM__COLUMN_VERSION];
  size_t name = strcspn(framework, "0123456789");
  int major, minor;
  if (!pm__words_hold("TensorFlow | TF2", framework)) return false;
  if (strchr(framework + name, '.') != NULL) version = framework + name;
  version += *version == 'v' ? 1 : 0;
  if (sscanf(version, "%3d.%3d", &major, &minor) != 2 || major != 2 || minor < 0) return false;
  snprintf(date, 8, "%s", dates[minor < LAST ? minor : LAST]);
  return true;
}

void pm__lab_readings_date(const pm__lab_readings *readings, pm__lab_row *row)
{
  char value[PM__VALUE_LONGEST];
  const char *date = pm__lab_readings_decide(readings, PM_DECISION_DATE, row, value);
  if (date != NULL) snprintf(row->date, sizeof row->date, "%.7s", date);
  else if (!date_of_container(row->cell[PM__COLUMN_VERSION], row->date) &&
           !date_in(row->cell[PM__COLUMN_DATE], row->date)) date_of_tensorflow(row, row->date);
}
