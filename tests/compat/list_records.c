/* Prints every record of the library: its size and, for each field, what programs, files and the command rely on. */
#include <stdio.h>
#include "perfmodel.h"

static void print_choices(const pm_choice *choice)
{
  for (; choice->name != NULL; choice++) printf(" %s", choice->name);
}

static void print_field(const char *record, const pm_field *field)
{
  static const char *const kinds[] = {"text", "int", "real", "choice"};
  printf("%s.%s %s", record, field->name, kinds[field->kind]);
  if (field->unit[0] != '\0') printf(" [%s]", field->unit);
  printf(" @%lu", (unsigned long)field->offset);
  if (field->otherwise != NULL) printf(" default %s", field->otherwise);
  if (field->option != NULL) printf(" option %s", field->option[0] != '\0' ? field->option : "none");
  if (field->choices != NULL) printf(" of"), print_choices(field->choices);
  putchar('\n');
}

int main(void)
{
  const pm_record_type *type;
  for (size_t i = 0; (type = pm_record_type_get(i)) != NULL; i++) {
    printf("%s %lu bytes\n", type->name, (unsigned long)type->size);
    for (size_t k = 0; k < type->field_count; k++) print_field(type->name, &type->fields[k]);
  }
  return 0;
}
