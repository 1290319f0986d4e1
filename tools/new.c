/* perfmodel new: files of your own to begin with. What they say is checked before they are written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"

static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                           "<!-- Check it:  perfmodel check FILE  and  perfmodel doctor FILE\n"
                           "     Use it:    give FILE to the option catalog of any command\n"
                           "     Editors:   perfmodel.xsd, installed in share/perfmodel, is its schema -->\n"
                           "<perfmodel version=\"1\">\n\n";

/* ---- All that is missing, at once ---- */

typedef struct needed {
  option_id id;
  const char *name, *choices;
} needed;

static int check_given(const cli_request *request, const char *kind, const needed *list, size_t count)
{
  char missing[200] = "", choices[500] = "";
  for (size_t i = 0; i < count; i++) {
    if (request->value[list[i].id] != NULL) continue;
    size_t used = strlen(missing), more = strlen(choices);
    snprintf(missing + used, sizeof missing - used, "%s--%s", used > 0 ? ", " : "", list[i].name);
    snprintf(choices + more, sizeof choices - more, "; --%s: %s", list[i].name, list[i].choices);
  }
  return missing[0] == '\0' ? CODE_DONE : fail(CODE_USAGE, "a new %s needs %s%s", kind, missing, choices);
}

static bool is_id(const char *id)
{
  static const char known[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return id[0] != '\0' && strchr("-_.", id[0]) == NULL && id[strspn(id, known)] == '\0' && strlen(id) < PM_TEXT_MAX;
}

static int check_id(const char *id)
{
  return is_id(id) ? CODE_DONE : fail(CODE_USAGE, "--id \"%.60s\" is not made of letters, digits, '-', '_' and '.'",
                                      id);
}

static const char *id_of(const cli_request *request)
{
  return request->value[OPTION_ID] != NULL ? request->value[OPTION_ID] : "mine";
}

/* ---- The network of a system: "8x400 Gb/s", or "8x infiniband-ndr" ---- */

typedef struct ports {
  int count; /* 0: there is no network */
  pm_link link;
} ports;

static bool is_network(const pm_link *link)
{
  return link->kind == PM_LINK_INFINIBAND || link->kind == PM_LINK_ETHERNET;
}

/* The first of that rate; InfiniBand stands first in the catalogue. */
static bool find_rate(const pm_catalog *catalog, double rate, pm_link *link)
{
  const char *id;
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "link", i)) != NULL; i++)
    if (pm_catalog_get_record(catalog, "link", id, link, NULL) == PM_OK && is_network(link) &&
        fabs(link->bandwidth / rate - 1) < 0.02)
      return true;
  return false;
}

static int unknown_network(const pm_catalog *catalog, const char *text)
{
  char choices[900] = "";
  const char *id;
  pm_link link;
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "link", i)) != NULL; i++) {
    size_t used = strlen(choices);
    if (pm_catalog_get_record(catalog, "link", id, &link, NULL) == PM_OK && is_network(&link) && used < sizeof choices)
      snprintf(choices + used, sizeof choices - used, "%s%s (%g Gbit/s)", used > 0 ? ", " : "", id,
               link.bandwidth * 8e-9);
  }
  return fail(CODE_USAGE, "--network \"%.60s\" is no number of ports and their rate or link, such as \"8x400 Gb/s\" or "
              "\"8x infiniband-ndr\"; links: %s", text, choices);
}

static int read_network(const pm_catalog *catalog, const char *text, ports *network)
{
  char *end;
  double rate;
  network->count = 0;
  if (text == NULL) return CODE_DONE;
  double count = strtod(text, &end);
  end += strspn(end, " ");
  if (end == text || *end != 'x' || !(count >= 1 && count <= 128) || floor(count) < count)
    return unknown_network(catalog, text);
  const char *what = end + 1 + strspn(end + 1, " ");
  bool found = pm_catalog_get_record(catalog, "link", what, &network->link, NULL) == PM_OK &&
    is_network(&network->link);
  if (!found && pm_quantity_parse(what, "B/s", &rate, NULL) == PM_OK) found = find_rate(catalog, rate, &network->link);
  if (!found) return unknown_network(catalog, text);
  network->count = (int)count;
  return CODE_DONE;
}

/* ---- Systems ---- */

static void write_system(FILE *out, const char *id, const pm_machine *machine, const char *topology,
                         const ports *network)
{
  fprintf(out, "%s  <system id=\"%s\" name=\"%s: %d x %s\">\n", head, id, id, machine->gpus, machine->gpu);
  fprintf(out, "    <gpu>%s</gpu>                <!-- perfmodel list gpus -->\n", machine->gpu);
  fprintf(out, "    <gpus>%d</gpus>                         <!-- of one node -->\n", machine->gpus);
  fprintf(out, "    <topology>%s</topology>          <!-- pcie, nvswitch, pairs or sockets; or a <graph> with every "
               "link,\n"
               "                                            as perfmodel export system dgx1-v100 shows -->\n",
                 topology);
  fprintf(out, "    <staged>%s</staged>                    <!-- yes: GPUs reach each other only through host memory "
               "-->\n",
          machine->staged ? "yes" : "no");
  fputs("    <!-- What you know of the host; what is not known stays away:\n"
        "    <cpu>2 x Intel Xeon Platinum 8480C</cpu>\n"
        "    <cpu_sockets>2</cpu_sockets>\n"
        "    <cpu_cores>56</cpu_cores>\n"
        "    <host_memory>2 TB</host_memory>\n"
        "    <storage_bandwidth>25 GB/s</storage_bandwidth>\n"
        "    -->\n", out);
  if (network->count > 0)
    fprintf(out, "    <network link=\"%s\" count=\"%d\"/>  <!-- ports of one node: %d x %g Gbit/s -->\n",
            network->link.id,
            network->count, network->count, network->link.bandwidth * 8e-9);
  else
    fputs("    <!-- Without a network the nodes are on their own:\n"
          "    <network link=\"infiniband-ndr\" count=\"8\"/>\n    -->\n", out);
  fputs("  </system>\n\n</perfmodel>\n", out);
}

/* The machine that the options name as one word, "h100-sxm5*8:nvswitch". */
static int find_machine(const cli_request *request, const pm_catalog *catalog, pm_machine *machine)
{
  char word[4 * PM_TEXT_MAX];
  pm_error error = PM_ERROR_NONE;
  snprintf(word, sizeof word, "%.80s*%.20s:%.80s", request->value[OPTION_GPU], request->value[OPTION_GPUS],
           request->value[OPTION_TOPOLOGY]);
  return pm_catalog_get_record(catalog, "system", word, machine, &error) == PM_OK ? CODE_DONE : fail_error(&error);
}

static int new_system(const cli_request *request, const pm_catalog *catalog)
{
  static const needed list[] = {
    {OPTION_GPU, "gpu", "see perfmodel list gpus"}, {OPTION_GPUS, "gpus", "the GPUs of one node, such as 8"},
    {OPTION_TOPOLOGY, "topology", "pcie, nvswitch, pairs or sockets"}};
  ports network;
  pm_machine machine;
  cli_page page;
  int code = check_given(request, "system", list, sizeof list / sizeof list[0]);
  if (code == CODE_DONE && request->value[OPTION_LIKE] != NULL)
    code = fail(CODE_USAGE, "--like is for frameworks; perfmodel export system NAME --id ID copies a system");
  if (code == CODE_DONE) code = find_machine(request, catalog, &machine);
  if (code == CODE_DONE) code = read_network(catalog, request->value[OPTION_NETWORK], &network);
  if (code != CODE_DONE) return code;
  if (!page_open(&page)) return fail_memory();
  write_system(page.stream, id_of(request), &machine, machine.topology, &network);
  return page_write(&page, request);
}

/* ---- Frameworks: each field that the other states, as it is written there, and what it is ---- */

/* What is of the other's constants, and of what they rest on, not of the software. */
static bool is_dropped(const char *field)
{
  static const char *const names[] = {"id", "name", "evidence", "like", "alias", "note", "file", "versions",
                                      "fitted_to", "rows", "date", "min_batch", "max_batch", "max_gpus"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], field) == 0) return true;
  return false;
}

static void write_field(FILE *out, const pm_field *field, const char *value)
{
  fprintf(out, "    <%s>%s</%s>  <!-- %s", field->name, value, field->name, field->doc);
  for (size_t i = 0; field->choices != NULL && field->choices[i].name != NULL; i++)
    fprintf(out, "%s%s", i == 0 ? ": " : ", ", field->choices[i].name);
  fputs(" -->\n", out);
}

/* A time that the other has from the one that it is like: it stands here too, so that own rows can be fitted to it. */
static void write_inherited(FILE *out, const pm_field *field, const pm_framework *like)
{
  char value[PM_TEXT_MAX];
  double number = pm_record_get_number(field, like);
  if (isfinite(number)) write_field(out, field, pm_quantity_format(value, sizeof value, number, field->unit));
}

/* A value for a field that the other does not state, in a comment. */
static void write_absent(FILE *out, const pm_field *field)
{
  fprintf(out, "    <!-- %s: %s -->\n", field->name, field->doc);
}

static const char *shown(const pm_table *table, const char *field, char *buffer)
{
  char name[PM_TEXT_MAX];
  for (size_t i = 0; i < pm_table_count_rows(table); i++)
    if (strcmp(pm_table_get_text(table, 0, i, name), field) == 0) return pm_table_get_text(table, 1, i, buffer);
  return NULL;
}

/* What inherits, as the library resolves it. */
static bool is_inherited(const char *field)
{
  return strcmp(field, "kernel_time") == 0 || strcmp(field, "step_time") == 0 || strcmp(field, "straggler") == 0;
}

static void write_framework(FILE *out, const char *id, const pm_framework *whole, const pm_table *table)
{
  char value[PM_TEXT_MAX];
  const char *like = whole->id;
  const pm_record_type *type = pm_record_type_find("framework");
  fprintf(out, "%s  <framework id=\"%s\" name=\"%s: like %s\">\n", head, id, id, like);
  fprintf(out, "    <like>%s</like>  <!-- kernel_time, step_time, straggler and memory are its own unless they stand "
               "here -->\n", like);
  fputs("    <evidence>uncalibrated</evidence>  <!-- what the constants rest on; the prediction interval is wider for "
        "it -->\n", out);
  for (size_t i = 0; i < type->field_count; i++) {
    const char *text = is_dropped(type->fields[i].name) ? NULL : shown(table, type->fields[i].name, value);
    if (text != NULL) write_field(out, &type->fields[i], text);
    else if (is_inherited(type->fields[i].name)) write_inherited(out, &type->fields[i], whole);
  }
  fputs("    <!-- It does not state these: -->\n", out);
  for (size_t i = 0; i < type->field_count; i++)
    if (!is_dropped(type->fields[i].name) && !is_inherited(type->fields[i].name) &&
        shown(table, type->fields[i].name, value) == NULL)
      write_absent(out, &type->fields[i]);
  fputs("  </framework>\n\n</perfmodel>\n", out);
}

static int new_framework(const cli_request *request, const pm_catalog *catalog)
{
  static const needed list[] = {{OPTION_LIKE, "like",
                                 "the framework whose code is nearest, see perfmodel list frameworks"}};
  cli_page page;
  pm_error error = PM_ERROR_NONE;
  int code = check_given(request, "framework", list, 1);
  if (code != CODE_DONE) return code;
  pm_framework_profile like;
  int status = pm_catalog_get_framework(catalog, request->value[OPTION_LIKE], &like, &error);
  pm_table *table = status == PM_OK ? pm_catalog_show(catalog, "framework", like.framework.id, &error) : NULL;
  if (table == NULL) return fail_error(&error);
  bool opened = page_open(&page);
  if (opened) write_framework(page.stream, id_of(request), &like.framework, table);
  pm_table_free(table);
  return opened ? page_write(&page, request) : fail_memory();
}

/* ---- The command ---- */

static int run(const cli_request *request)
{
  const char *kind = request->arguments.items[0];
  bool system = strcmp(kind, "system") == 0;
  if (!system && strcmp(kind, "framework") != 0)
    return fail(CODE_USAGE, "new makes a system or a framework, not a \"%.60s\"; perfmodel export writes other entries",
                kind);
  int code = check_id(id_of(request));
  if (code != CODE_DONE) return code;
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  code = system ? new_system(request, catalog) : new_framework(request, catalog);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_GPU, '\0', "gpu", "NAME", "the GPU of a system, see perfmodel list gpus"},
  {OPTION_GPUS, '\0', "gpus", "N", "GPUs of one node"},
  {OPTION_TOPOLOGY, '\0', "topology", "pcie|nvswitch|pairs|sockets",
   "how they are joined: each by PCIe under a CPU alone, all by NVLink "
   "switches, neighbours by NVLink bridges, or only over the host's sockets"},
  {OPTION_NETWORK, '\0', "network", "NxRATE", "ports of one node, \"8x400 Gb/s\", or \"8x infiniband-ndr\" (default: "
                                              "none)"},
  {OPTION_LIKE, '\0', "like", "NAME", "what a framework begins as, see perfmodel list frameworks"},
  {OPTION_ID, '\0', "id", "ID", "id of the new entry (default mine)"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command new_command = {
  "new", "system|framework", "begins a file of your own: a system or a framework",
  "Prints a complete file with comments, which --catalog reads as it is: a system of a GPU of the catalogue and a "
  "usual "
  "way to join several, or a framework that begins as another. A copy of an entry is written by perfmodel export.",
  "perfmodel new system --gpu h100-sxm5 --gpus 8 --topology nvswitch --network \"8x400 Gb/s\" -o mine.xml", options, 1,
    1,
  run};
