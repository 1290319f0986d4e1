/*
** Prints the XML schema of the catalogue, for editors, from the field tables and the layer kinds. The library itself
** judges files by the same tables, with better messages.
*/
#include <stdio.h>
#include <string.h>
#include "catalog/entry.h"
#include "perfmodel.h"

static void text(const char *line)
{
  puts(line);
}

static void escaped(const char *words)
{
  for (; *words != '\0'; words++)
    if (*words == '<') fputs("&lt;", stdout);
    else if (*words == '&') fputs("&amp;", stdout);
    else if (*words == '"') fputs("&quot;", stdout);
    else putchar(*words);
}

static void documentation(const char *indent, const char *words, const char *unit)
{
  printf("%s<xs:annotation><xs:documentation>", indent);
  escaped(words);
  if (unit[0] != '\0' && strcmp(unit, "1") != 0) printf(" [%s]", unit);
  puts("</xs:documentation></xs:annotation>");
}

/* ---- Values of fields. */

static void value_type(const char *name, const char *facets)
{
  printf("  <xs:complexType name=\"%s\">\n    <xs:simpleContent>\n      <xs:extension base=\"%s\">\n", name, facets);
  text("        <xs:attributeGroup ref=\"provenance\"/>");
  text("      </xs:extension>\n    </xs:simpleContent>\n  </xs:complexType>");
}

static void simple_type(const char *name, const char *pattern)
{
  printf("  <xs:simpleType name=\"%s\">\n    <xs:restriction base=\"xs:token\">\n", name);
  printf("      <xs:pattern value=\"%s\"/>\n    </xs:restriction>\n  </xs:simpleType>\n", pattern);
}

/* What a value rests on. */
static void origin(void)
{
  static const char *const names[] = {"datasheet", "fitted", "rule", "guess", "default", "fact"};
  text("    <xs:attribute name=\"origin\">\n      <xs:simpleType>\n        <xs:restriction base=\"xs:string\">");
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    printf("          <xs:enumeration value=\"%s\"/>\n", names[i]);
  text("        </xs:restriction>\n      </xs:simpleType>\n    </xs:attribute>");
  text("    <xs:attribute name=\"fitted_to\" type=\"xs:string\"/>");
  text("    <xs:attribute name=\"rows\" type=\"xs:positiveInteger\"/>");
  text("    <xs:attribute name=\"date\" type=\"xs:string\"/>");
}

static void value_types(void)
{
  text("  <xs:attributeGroup name=\"provenance\">");
  text("    <xs:attribute name=\"source\" type=\"xs:string\"/>");
  text("    <xs:attribute name=\"note\" type=\"xs:string\"/>");
  origin();
  text("  </xs:attributeGroup>");
  printf("  <xs:simpleType name=\"short\">\n    <xs:restriction base=\"xs:token\">\n");
  printf("      <xs:minLength value=\"1\"/>\n      <xs:maxLength value=\"%d\"/>\n", PM_TEXT_MAX - 1);
  text("    </xs:restriction>\n  </xs:simpleType>");
  simple_type("id", "[A-Za-z0-9][A-Za-z0-9._\\-]*");
  simple_type("whole", "[+]?[0-9]+");
  simple_type("plain", "[+]?[0-9.]+([eE][+\\-]?[0-9]+)?( *%)?|unlimited|unknown");
  simple_type("quantity", "[+]?[0-9.]+([eE][+\\-]?[0-9]+)? *[^0-9 .].*|unlimited|unknown");
  value_type("TEXT", "short");
  value_type("INT", "whole");
  value_type("NUMBER", "plain");
  value_type("REAL", "quantity");
}

/* ---- Records. */

static void choice_field(const pm_field *field)
{
  text("          <xs:complexType>\n            <xs:simpleContent>\n              <xs:restriction base=\"TEXT\">");
  for (const pm_choice *choice = field->choices; choice->name != NULL; choice++)
    printf("                <xs:enumeration value=\"%s\"/>\n", choice->name);
  text("              </xs:restriction>\n            </xs:simpleContent>\n          </xs:complexType>");
}

static void field_element(const pm_field *field)
{
  const char *type = field->kind == PM_FIELD_TEXT ? "TEXT" : field->kind == PM_FIELD_INT ? "INT"
                   : strcmp(field->unit, "1") == 0 ? "NUMBER" : "REAL";
  printf("        <xs:element name=\"%s\" minOccurs=\"0\"", field->name);
  if (field->kind == PM_FIELD_CHOICE) puts(">");
  else printf(" type=\"%s\">\n", type);
  documentation("          ", field->doc, field->unit);
  if (field->kind == PM_FIELD_CHOICE) choice_field(field);
  text("        </xs:element>");
}

static void entry_type(const char *element, const pm_record_type *type)
{
  printf("  <xs:complexType name=\"%s\">\n", element);
  documentation("    ", type->doc, "");
  text("    <xs:all>");
  for (size_t i = 0; i < type->field_count; i++)
    if (strcmp(type->fields[i].name, "id") != 0 && strcmp(type->fields[i].name, "name") != 0)
      field_element(&type->fields[i]);
  if (strcmp(element, "system") == 0) {
    text("        <xs:element name=\"graph\" type=\"graph\" minOccurs=\"0\"/>");
    text("        <xs:element name=\"network\" type=\"joined\" minOccurs=\"0\"/>");
  }
  printf("    </xs:all>\n    <xs:attributeGroup ref=\"%s\"/>\n  </xs:complexType>\n",
         pm_record_find_field(type, "name") != NULL ? "named" : "entry");
}

static void attribute(const char *name, const char *type, const char *use)
{
  printf("    <xs:attribute name=\"%s\" type=\"%s\"%s%s%s/>\n", name, type, use[0] != '\0' ? " use=\"" : "", use,
         use[0] != '\0' ? "\"" : "");
}

static void entry_attributes(const char *group, const char *name_use)
{
  printf("  <xs:attributeGroup name=\"%s\">\n", group);
  attribute("id", "id", "required");
  attribute("name", "short", name_use);
  attribute("alias", "xs:string", "");
  text("    <xs:attributeGroup ref=\"provenance\"/>\n  </xs:attributeGroup>");
}

/* ---- Link graphs. */

static void graph_types(void)
{
  text("  <xs:complexType name=\"graph\">\n    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">");
  text("      <xs:element name=\"vertex\">\n        <xs:complexType>");
  text("          <xs:attribute name=\"kind\" use=\"required\">\n            <xs:simpleType>");
  text("              <xs:restriction base=\"xs:token\">");
  static const char *const kinds[] = {"gpu", "cpu", "switch", "nvswitch", "nic"};
  for (int i = 0; i < 5; i++) printf("                <xs:enumeration value=\"%s\"/>\n", kinds[i]);
  text("              </xs:restriction>\n            </xs:simpleType>\n          </xs:attribute>");
  text("          <xs:attribute name=\"names\" type=\"xs:token\" use=\"required\"/>");
  text("        </xs:complexType>\n      </xs:element>\n      <xs:element name=\"link\">\n        <xs:complexType>");
  text("          <xs:attribute name=\"type\" type=\"xs:token\" use=\"required\"/>");
  text("          <xs:attribute name=\"from\" type=\"xs:token\" use=\"required\"/>");
  text("          <xs:attribute name=\"to\" type=\"xs:token\" use=\"required\"/>");
  text("        </xs:complexType>\n      </xs:element>\n    </xs:choice>");
  text("    <xs:attributeGroup ref=\"provenance\"/>\n  </xs:complexType>");
  text("  <xs:complexType name=\"joined\">");
  attribute("link", "xs:token", "required");
  attribute("count", "xs:positiveInteger", "");
  attribute("staged", "xs:token", "");
  text("    <xs:attributeGroup ref=\"provenance\"/>\n  </xs:complexType>");
}

/* ---- Networks. */

/* "out_channels stride=1": one attribute each; those without a value must be given. */
static void layer_attributes(size_t kind)
{
  char list[1000];
  pm_layer_kind_format_attributes(kind, list, sizeof list);
  for (char *word = strtok(list, " "); word != NULL; word = strtok(NULL, " ")) {
    char *value = strchr(word, '=');
    if (value != NULL) *value = '\0';
    printf("        <xs:attribute name=\"%s\" type=\"xs:token\"%s/>\n", word, value == NULL ? " use=\"required\"" : "");
  }
}

static void layer_element(size_t kind)
{
  printf("      <xs:element name=\"%s\"><xs:complexType>\n", pm_layer_kind_get_name(kind));
  text("        <xs:sequence>");
  text("          <xs:element name=\"path\" type=\"path\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>");
  text("        </xs:sequence>");
  layer_attributes(kind);
  text("        <xs:attributeGroup ref=\"layer\"/>\n      </xs:complexType></xs:element>");
}

static void flow_group(void)
{
  text("  <xs:group name=\"flow\">\n    <xs:choice>");
  text("      <xs:element name=\"input\"><xs:complexType>");
  text("        <xs:attribute name=\"name\" type=\"xs:token\"/>");
  text("        <xs:attribute name=\"shape\" type=\"xs:token\" use=\"required\"/>");
  text("        <xs:attribute name=\"if\" type=\"xs:token\"/>\n      </xs:complexType></xs:element>");
  text("      <xs:element name=\"use\"><xs:complexType>");
  text("        <xs:attribute name=\"block\" type=\"xs:token\" use=\"required\"/>");
  text("        <xs:anyAttribute processContents=\"skip\"/>\n      </xs:complexType></xs:element>");
  text("      <xs:element name=\"repeat\"><xs:complexType>");
  text("        <xs:group ref=\"flow\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>");
  text("        <xs:attribute name=\"times\" type=\"xs:token\" use=\"required\"/>");
  text("        <xs:attribute name=\"index\" type=\"xs:NCName\"/>");
  text("        <xs:attribute name=\"if\" type=\"xs:token\"/>\n      </xs:complexType></xs:element>");
  for (size_t i = 0; pm_layer_kind_get_name(i) != NULL; i++) layer_element(i);
  text("    </xs:choice>\n  </xs:group>");
}

static void definition_type(const char *name, const char *attributes)
{
  printf("  <xs:complexType name=\"%s\">\n    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n", name);
  text("      <xs:element name=\"param\"><xs:complexType>");
  text("        <xs:attribute name=\"name\" type=\"xs:NCName\" use=\"required\"/>");
  text("        <xs:attribute name=\"default\" type=\"xs:token\"/>");
  text("        <xs:attribute name=\"least\" type=\"xs:token\"/>");
  text("        <xs:attribute name=\"multiple\" type=\"xs:token\"/>\n      </xs:complexType></xs:element>");
  printf("      <xs:group ref=\"flow\"/>\n    </xs:choice>\n    <xs:attributeGroup ref=\"%s\"/>\n", attributes);
  if (strcmp(name, "network") == 0) {
    attribute("model", "xs:token", "");
    attribute("weights", "xs:token", "");
    attribute("expert_weights", "xs:token", "");
    attribute("trainable", "xs:token", "");
  }
  text("  </xs:complexType>");
}

static void network_types(void)
{
  text("  <xs:attributeGroup name=\"layer\">");
  static const char *const common[] = {"name", "if", "input", "inputs"};
  for (int i = 0; i < 4; i++) attribute(common[i], "xs:token", "");
  text("  </xs:attributeGroup>");
  text("  <xs:complexType name=\"path\">\n    <xs:group ref=\"flow\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>");
  text("    <xs:attribute name=\"if\" type=\"xs:token\"/>\n  </xs:complexType>");
  flow_group();
  definition_type("network", "named");
  definition_type("block", "entry");
}

/* ---- Experiments: sweeps as files. */

/* Lists are separated by commas. */
static void experiment_fields(void)
{
  static const char *const runs[] = {"run", "inference_run", "serving_run"};
  for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
    const pm_record_type *type = pm_record_type_find(runs[r]);
    for (size_t i = 0; i < type->field_count; i++) {
      const pm_field *field = &type->fields[i];
      bool given = field->option == NULL || field->option[0] != '\0', known = false;
      for (size_t before = 0; before < r; before++)
        known = known || pm_record_find_field(pm_record_type_find(runs[before]), field->name) != NULL;
      if (!given || known) continue;
      printf("      <xs:element name=\"%s\" type=\"xs:token\">\n", field->name);
      documentation("        ", field->doc, field->unit);
      text("      </xs:element>");
    }
  }
}

/* An element with an attribute, and a value (NULL) or perhaps a number. */
static void experiment_named(const char *element, const char *name, const char *more)
{
  printf("      <xs:element name=\"%s\"><xs:complexType>\n", element);
  if (more == NULL) text("        <xs:simpleContent><xs:extension base=\"xs:token\">");
  printf("        <xs:attribute name=\"%s\" type=\"xs:token\" use=\"required\"/>\n", name);
  if (more != NULL && more[0] != '\0')
    printf("        <xs:attribute name=\"%s\" type=\"xs:positiveInteger\"/>\n", more);
  if (more == NULL) text("        </xs:extension></xs:simpleContent>");
  text("      </xs:complexType></xs:element>");
}

static void experiment_element(void)
{
  static const char *const plain[] = {"networks", "systems", "frameworks", "global_batch", "dataset", "catalog",
                                      "where", "columns", "output"};
  text("  <xs:element name=\"experiment\"><xs:complexType>");
  documentation("    ", "a sweep, which perfmodel run runs", "");
  text("    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">");
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
    printf("      <xs:element name=\"%s\" type=\"xs:token\"/>\n", plain[i]);
  experiment_named("axis", "path", NULL);
  experiment_named("set", "name", NULL);
  experiment_named("front", "by", "");
  experiment_named("best", "by", "count");
  experiment_fields();
  text("    </xs:choice>\n    <xs:attribute name=\"version\" type=\"xs:token\" use=\"required\" fixed=\"1\"/>");
  text("    <xs:attribute name=\"task\" type=\"xs:token\"/>\n    <xs:attribute name=\"name\" type=\"xs:token\"/>");
  text("  </xs:complexType></xs:element>");
}

/* ---- The whole. */

int main(void)
{
  const pm__kind *kind;
  text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
  text("<!-- For editors. Made from the field tables of perfmodel by its build. -->");
  text("<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">");
  text("  <xs:element name=\"perfmodel\"><xs:complexType>\n    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">");
  for (size_t i = 0; (kind = pm__kind_at(i)) != NULL; i++)
    printf("      <xs:element name=\"%s\" type=\"%s\"/>\n", kind->singular, kind->singular);
  text("      <xs:element name=\"block\" type=\"block\"/>\n    </xs:choice>");
  text("    <xs:attribute name=\"version\" type=\"xs:token\" use=\"required\" fixed=\"1\"/>");
  text("  </xs:complexType></xs:element>");
  value_types();
  entry_attributes("entry", "");
  entry_attributes("named", "required");
  for (size_t i = 0; (kind = pm__kind_at(i)) != NULL; i++)
    if (i != PM__NETWORKS) entry_type(kind->singular, pm_record_type_find(kind->record));
  graph_types();
  network_types();
  experiment_element();
  text("</xs:schema>");
  return 0;
}
