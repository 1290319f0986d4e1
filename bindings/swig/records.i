/* Quantities, and the field tables of all record types. */

%constant int TEXT_MAX = PM_TEXT_MAX;

const char *pm_version_get(void);

%{
static const char *record_type_name(const void *context, size_t index)
{
  (void)context;
  const pm_record_type *type = pm_record_type_get(index);
  return type == NULL ? NULL : type->name;
}

static const pm_record_type *record_type(const char *name, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(name);
  if (type == NULL) fail(error, PM_STATUS_NOT_FOUND, "unknown record type \"%s\"", name);
  return type;
}

static const char *kind_name(pm_field_kind kind)
{
  static const char *const kinds[] = {"text", "int", "real", "choice"};
  return kinds[kind];
}

/* The choices of a field, names or docs, one per line. */
static char *choice_lines(const pm_field *field, int docs, pm_error *error)
{
  size_t length = 1;
  for (int i = 0; field->choices != NULL && field->choices[i].name != NULL; i++)
    length += strlen(docs ? field->choices[i].doc : field->choices[i].name) + 1;
  char *lines = (char *)room(length, 1, error);
  for (int i = 0; lines != NULL && field->choices != NULL && field->choices[i].name != NULL; i++) {
    size_t used = strlen(lines);
    snprintf(lines + used, length - used, "%s%s", i > 0 ? "\n" : "",
             docs ? field->choices[i].doc : field->choices[i].name);
  }
  return lines;
}

static char *field_property(const pm_field *field, int property, pm_error *error)
{
  char offset[24];
  switch (property) {
    case 0: return text_copy(field->name, error);
    case 1: return text_copy(field->unit, error);
    case 2: return text_copy(field->doc, error);
    case 3: return text_copy(kind_name(field->kind), error);
    case 4: snprintf(offset, sizeof offset, "%lu", (unsigned long)field->offset); return text_copy(offset, error);
    case 7: return text_copy(field->otherwise != NULL ? field->otherwise : "", error);
    case 8: return text_copy(field->option != NULL ? field->option : field->name, error);
    case 9: return text_copy(field->needs != NULL ? field->needs : "", error);
    case 10: return text_copy(field->asked != NULL ? field->asked : "", error);
    default: return choice_lines(field, property == 6, error);
  }
}
%}

%typemap(newfree) char *quantity_format "free($1);"

%inline %{
static double quantity_parse(const char *text, const char *unit, pm_error *error)
{
  double value = NAN;
  pm_quantity_parse(text, unit, &value, error);
  return value;
}

static char *quantity_format(double value, const char *unit, pm_error *error)
{
  char text[PM_TEXT_MAX];
  return text_copy(pm_quantity_format(text, sizeof text, value, unit), error);
}

/* What is called here what other programs call so, or nothing: see pm_name_find_alias. */
static const char *alias_of(const char *of, const char *name, pm_error *error)
{
  (void)error;
  return pm_name_find_alias(of, name);
}

/* Which of the names was probably meant, or nothing: see pm_name_find_meant. */
static const char *name_meant(const char *name, const char *const *NAMES, size_t COUNT, pm_error *error)
{
  (void)error;
  return pm_name_find_meant(name, NAMES, COUNT);
}

/* The value of a number or choice field from its text, as the record holds it. */
static double record_value(const char *type, const char *name, const char *text, pm_error *error)
{
  const pm_record_type *found = record_type(type, error);
  const pm_field *field = pm_record_find_field(found, name);
  double place = NAN;
  if (found == NULL) return NAN;
  if (field == NULL || field->kind == PM_FIELD_TEXT) {
    fail(error, PM_STATUS_NOT_FOUND, "a %s has no number \"%s\"", type, name);
    return NAN;
  }
  pm_field alone = *field;
  alone.offset = 0;
  return pm_record_set(&alone, &place, text, error) == PM_OK ? pm_record_get_number(&alone, &place) : NAN;
}

/* Names of all record types; what a type is; its bytes. */
static names record_types(pm_error *error)
{
  return names_list(record_type_name, NULL, error);
}

static const char *record_doc(const char *type, pm_error *error)
{
  const pm_record_type *found = record_type(type, error);
  return found == NULL ? NULL : found->doc;
}

static int record_size(const char *type, pm_error *error)
{
  const pm_record_type *found = record_type(type, error);
  return found == NULL ? 0 : (int)found->size;
}

enum { PROPERTIES = 11 };

/* Eleven texts per field: name, unit, doc, kind ("text", "int", "real", "choice"), offset, the choices' names and
** docs, one per line, its default ("": unknown), the command's name for it ("": users never give it), what it needs to
** have an effect ("": nothing), and what users give and its default if a study completes it ("": doc and default). */
static names record_fields(const char *type, pm_error *error)
{
  const pm_record_type *found = record_type(type, error);
  names array = names_new(found == NULL ? 0 : PROPERTIES * found->field_count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = field_property(&found->fields[i / PROPERTIES], (int)(i % PROPERTIES), error);
  return names_if_ok(array, error);
}
%}
