/* What is the same for every record: finding, initialising, setting and reading fields through the field table. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/units.h"
#include "record/sized.h"

const pm_record_type *pm_record_type_find(const char *name)
{
  const pm_record_type *type;
  for (size_t i = 0; name != NULL && (type = pm_record_type_get(i)) != NULL; i++)
    if (strcmp(type->name, name) == 0) return type;
  return NULL;
}

const pm_field *pm_record_find_field(const pm_record_type *type, const char *name)
{
  if (type == NULL || name == NULL) return NULL;
  for (size_t i = 0; i < type->field_count; i++)
    if (strcmp(type->fields[i].name, name) == 0) return &type->fields[i];
  return NULL;
}

void pm_record_clear(const pm_record_type *type, void *record)
{
  if (type == NULL || record == NULL) return;
  memset(record, 0, type->size);
  const double unknown = NAN;
  for (size_t i = 0; i < type->field_count; i++)
    if (type->fields[i].kind == PM_FIELD_REAL)
      memcpy((char *)record + type->fields[i].offset, &unknown, sizeof unknown);
}

void pm__record_set_defaults(const pm_record_type *type, void *record)
{
  pm_record_clear(type, record);
  for (size_t i = 0; type != NULL && record != NULL && i < type->field_count; i++)
    if (type->fields[i].otherwise != NULL) pm_record_set(&type->fields[i], record, type->fields[i].otherwise, NULL);
}

static int32_t find_exact_choice(const pm_field *field, const char *text)
{
  for (int32_t i = 0; field->choices[i].name != NULL; i++)
    if (strcmp(field->choices[i].name, text) == 0) return i;
  return -1;
}

static bool has_alias(const pm_choice *choice, const char *name)
{
  char alias[PM_TEXT_MAX];
  const char *rest = choice->aliases != NULL ? choice->aliases : "";
  for (size_t length; rest[0] != '\0'; rest += length + strspn(rest + length, " ")) {
    length = strcspn(rest, " ");
    snprintf(alias, sizeof alias, "%.*s", (int)length, rest);
    if (pm__same_name(alias, name)) return true;
  }
  return false;
}

/* By any name that users bring. */
static int32_t find_choice(const pm_field *field, const char *text)
{
  const char *usual = pm_name_find_alias(field->name, text), *name = usual != NULL ? usual : text;
  for (int32_t i = 0; field->choices[i].name != NULL; i++)
    if (pm__same_name(field->choices[i].name, name) || has_alias(&field->choices[i], name)) return i;
  return -1;
}

static int set_choice(const pm_field *field, void *place, const char *text, pm_error *error)
{
  int32_t found = find_exact_choice(field, text);
  if (found < 0) found = find_choice(field, text);
  if (found >= 0) return memcpy(place, &found, sizeof found), PM_OK;
  char known[400] = "";
  for (int32_t i = 0; field->choices[i].name != NULL; i++) {
    size_t used = strlen(known), length = strlen(field->choices[i].name);
    if (used + length + 3 > sizeof known) break;
    memcpy(known + used, i > 0 ? ", " : "", i > 0 ? 3 : 1);
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s", field->choices[i].name);
  }
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.80s\" is unknown; it must be one of %s", field->name, text,
                  known);
}

static int set_int(const pm_field *field, void *place, const char *text, pm_error *error)
{
  double value;
  if (pm_number_parse(text, &value) != PM_OK || value != floor(value) || fabs(value) > INT32_MAX)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.80s\" is not a whole number", field->name, text);
  int32_t number = (int32_t)value;
  memcpy(place, &number, sizeof number);
  return PM_OK;
}

static int set_real(const pm_field *field, void *place, const char *text, pm_error *error)
{
  double value;
  pm_error reason = PM_ERROR_NONE;
  int status = pm_quantity_parse(text, field->unit, &value, &reason);
  if (status != PM_OK) return pm__fail(error, status, "%s %.400s", field->name, reason.text);
  memcpy(place, &value, sizeof value);
  return PM_OK;
}

int pm_record_set(const pm_field *field, void *record, const char *text, pm_error *error)
{
  if (field == NULL || record == NULL || text == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a field needs a record and a text");
  char *place = (char *)record + field->offset;
  switch (field->kind) {
  case PM_FIELD_CHOICE: return set_choice(field, place, text, error);
  case PM_FIELD_INT: return set_int(field, place, text, error);
  case PM_FIELD_REAL: return set_real(field, place, text, error);
  case PM_FIELD_TEXT: break;
  }
  if (pm__text_set(place, PM_TEXT_MAX, text)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.60s...\" is longer than %d bytes", field->name, text,
                  PM_TEXT_MAX - 1);
}

double pm_record_get_number(const pm_field *field, const void *record)
{
  double value = NAN;
  int32_t number;
  if (field == NULL || record == NULL || field->kind == PM_FIELD_TEXT) return NAN;
  const char *place = (const char *)record + field->offset;
  if (field->kind == PM_FIELD_REAL) {
    memcpy(&value, place, sizeof value);
    return value;
  }
  memcpy(&number, place, sizeof number);
  return number;
}

static bool is_choice(const pm_field *field, double value)
{
  size_t count = 0;
  while (field->choices[count].name != NULL) count++;
  return value >= 0 && value < (double)count;
}

int pm_record_set_number(const pm_field *field, void *record, double value, pm_error *error)
{
  char text[PM_NUMBER_MAX];
  if (field == NULL || record == NULL || field->kind == PM_FIELD_TEXT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a number needs a record and a field that holds one");
  char *place = (char *)record + field->offset;
  if (field->kind == PM_FIELD_REAL) return memcpy(place, &value, sizeof value), PM_OK;
  bool good = value == floor(value) && fabs(value) <= INT32_MAX &&
              (field->kind == PM_FIELD_INT || is_choice(field, value));
  if (!good)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %s is not %s", field->name, pm_number_format(text, value),
                    field->kind == PM_FIELD_INT ? "a whole number below 2147483648" : "one of its choices");
  int32_t number = (int32_t)value;
  memcpy(place, &number, sizeof number);
  return PM_OK;
}

static const char *choice_name(const pm_field *field, int32_t value)
{
  for (int32_t i = 0; field->choices[i].name != NULL; i++)
    if (i == value) return field->choices[i].name;
  return "?";
}

char *pm_record_format(const pm_field *field, const void *record, char *buffer)
{
  buffer[0] = '\0';
  if (field == NULL || record == NULL) return buffer;
  if (field->kind == PM_FIELD_TEXT) memcpy(buffer, (const char *)record + field->offset, PM_TEXT_MAX);
  else if (field->kind == PM_FIELD_CHOICE)
    pm__text_set(buffer, PM_TEXT_MAX, choice_name(field, (int32_t)pm_record_get_number(field, record)));
  else pm_number_format(buffer, pm_record_get_number(field, record));
  return buffer;
}
