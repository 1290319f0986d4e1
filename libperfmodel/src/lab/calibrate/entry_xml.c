#include "lab/calibrate/entry_xml.h"
#include <stdio.h>
#include <string.h>

static void add_escaped(pm__string *out, const char *text)
{
  for (; *text != '\0'; text++) {
    const char *escape = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '"' ? "&quot;"
                                                                                                          : NULL;
    if (escape != NULL) pm__string_add(out, escape);
    else pm__string_add_bytes(out, text, 1);
  }
}

static void add_attribute(pm__string *out, const char *name, const char *value)
{
  if (value == NULL || value[0] == '\0') return;
  pm__string_format(out, " %s=\"", name);
  add_escaped(out, value);
  pm__string_add(out, "\"");
}

void pm__value_write(pm__new_value *value, double number, const char *unit)
{
  size_t size = sizeof value->text;
  if (strcmp(unit, "s") == 0) snprintf(value->text, size, "%.4g us", number * 1e6);
  else if (strcmp(unit, "J/FLOP") == 0) snprintf(value->text, size, "%.4g pJ/FLOP", number * 1e12);
  else snprintf(value->text, size, "%.4g%s%.8s", number, strcmp(unit, "1") != 0 ? " " : "", strcmp(unit, "1") != 0 ? unit : "");
}

static void add_field(pm__string *out, const char *name, const char *source, const char *note, const char *text)
{
  pm__string_format(out, "    <%s", name);
  add_attribute(out, "source", source);
  add_attribute(out, "note", note);
  pm__string_add(out, ">");
  add_escaped(out, text);
  pm__string_format(out, "</%s>\n", name);
}

static void add_value(pm__string *out, const pm__entry *entry, size_t index, pm__replaced *replaced, const void *user)
{
  const pm_field *field = &entry->type->fields[index];
  const pm__provenance *from = &entry->from[index];
  pm__new_value value = {"", ""};
  if (strcmp(field->name, "id") == 0 || strcmp(field->name, "name") == 0) return;
  if (replaced(user, entry, field, &value)) add_field(out, field->name, "", value.note, value.text);
  else if (from->line > 0)
    add_field(out, field->name, strcmp(from->source, entry->source) != 0 ? from->source : "", from->note, from->text);
}

void pm__entry_write(pm__string *out, const pm__entry *entry, pm__replaced *replaced, const void *user)
{
  const char *element = pm__kind_at((size_t)entry->kind)->singular;
  pm__string_format(out, "\n  <%s id=\"%s\"", element, entry->id);
  add_attribute(out, "name", entry->name);
  for (size_t i = 0; i < entry->alias_count; i++) {
    pm__string_add(out, i == 0 ? " alias=\"" : ", ");
    add_escaped(out, entry->aliases[i]);
  }
  if (entry->alias_count > 0) pm__string_add(out, "\"");
  add_attribute(out, "source", entry->source);
  add_attribute(out, "note", entry->note);
  pm__string_add(out, ">\n");
  for (size_t i = 0; i < entry->type->field_count; i++) add_value(out, entry, i, replaced, user);
  pm__string_format(out, "  </%s>\n", element);
}
