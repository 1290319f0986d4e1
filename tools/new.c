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

enum { BRIDGE_LINKS = 4 }; /* of an NVLink bridge, since Ampere */

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

/* ---- The network of a system: "8x400 Gb/s", "1x40 Gb/s ethernet", or "8x infiniband-ndr" ---- */

typedef struct ports {
  int count; /* 0: there is no network */
  double rate;
  char id[PM_TEXT_MAX];
  char *entry; /* of a type of link that the catalogue lacks */
} ports;

static bool is_network(const pm_link *link)
{
  return link->kind == PM_LINK_INFINIBAND || link->kind == PM_LINK_ETHERNET;
}

static const char *const families[] = {"infiniband", "ethernet", "roce", "efa", "slingshot", "omni-path", NULL};

/* The last word, if it is a family: what is before it is left. */
static const char *take_family(char *text)
{
  char *last = strrchr(text, ' ');
  for (int i = 0; last != NULL && families[i] != NULL; i++)
    if (strcmp(last + 1, families[i]) == 0) {
      *last = '\0';
      return families[i];
    }
  return NULL;
}

/* The first of that rate; InfiniBand stands first in the catalogue. */
static bool find_rate(const pm_catalog *catalog, double rate, char *id)
{
  const char *name;
  pm_link link;
  for (size_t i = 0; (name = pm_catalog_get_id(catalog, "link", i)) != NULL; i++)
    if (pm_catalog_get_record(catalog, "link", name, &link, NULL) == PM_OK && is_network(&link) &&
        fabs(link.bandwidth / rate - 1) < 0.02) {
      snprintf(id, PM_TEXT_MAX, "%s", name);
      return true;
    }
  return false;
}

static int bad_network(const char *text)
{
  return fail(CODE_USAGE, "--network \"%.60s\" is not a number of ports with their rate or link; write \"8x400 Gb/s\", "
              "\"1x40 Gb/s ethernet\" (infiniband, ethernet, roce, efa, slingshot, omni-path) or \"8x infiniband-ndr\" "
              "(perfmodel list "
              "links)", text);
}

/* A rate that no type of link has becomes a type of its own: Ethernet below the rates of InfiniBand's last four
** generations, unless its family is said. */
static int find_link(const pm_catalog *catalog, const char *text, ports *network)
{
  char value[100];
  pm_error error = PM_ERROR_NONE;
  snprintf(value, sizeof value, "%.99s", text);
  const char *family = take_family(value);
  if (pm_quantity_parse(value, "B/s", &network->rate, NULL) != PM_OK || !(network->rate > 0)) return bad_network(text);
  if (family == NULL && find_rate(catalog, network->rate, network->id)) return CODE_DONE;
  if (family == NULL) family = network->rate * 8 < 50e9 ? "ethernet" : "infiniband";
  network->entry = pm_catalog_make_link(catalog, family, network->rate, network->id, &error);
  return network->entry != NULL ? CODE_DONE : fail_error(&error);
}

static int read_network(const pm_catalog *catalog, const char *text, ports *network)
{
  char *end;
  pm_link link;
  *network = (ports){.count = 0};
  if (text == NULL) return CODE_DONE;
  double count = strtod(text, &end);
  end += strspn(end, " ");
  if (end == text || *end != 'x' || !(count >= 1 && count <= 128) || floor(count) < count) return bad_network(text);
  const char *what = end + 1 + strspn(end + 1, " ");
  network->count = (int)count;
  if (pm_catalog_get_record(catalog, "link", what, &link, NULL) != PM_OK || !is_network(&link))
    return find_link(catalog, what, network);
  network->rate = link.bandwidth;
  snprintf(network->id, sizeof network->id, "%s", link.id);
  return CODE_DONE;
}

/* ---- Systems ---- */

/* Neighbours by some bridges of four NVLinks: as the topology "pairs" with all of them. */
static void write_bridges(FILE *out, const pm_machine *machine, const pm_gpu *gpu, int bridges)
{
  int sockets = machine->gpus > 4 ? 2 : 1;
  bool fifth = strncmp(gpu->pcie, "pcie5", 5) == 0;
  fputs("    <graph>\n", out);
  for (int i = 0; i < sockets; i++) fprintf(out, "      <vertex kind=\"cpu\" names=\"cpu%d\"/>\n", i);
  if (sockets > 1)
    fprintf(out, "      <link type=\"%s\" from=\"cpu0\" to=\"cpu1*%d\"/>\n", fifth ? "upi-sapphire" :
            "infinity-fabric-epyc",
            fifth ? 4 : 3);
  for (int i = 0; i < machine->gpus; i++)
    fprintf(out, "      <link type=\"%s\" from=\"cpu%d\" to=\"gpu%d\"/>\n", gpu->pcie, i * sockets / machine->gpus, i);
  for (int i = 0; i + 1 < machine->gpus; i += 2)
    fprintf(out, "      <link type=\"%s\" from=\"gpu%d\" to=\"gpu%d*%d\"/>\n", gpu->nvlink, i, i + 1, BRIDGE_LINKS *
            bridges);
  fputs("    </graph>\n", out);
}

static void write_system(FILE *out, const char *id, const pm_machine *machine, const char *topology,
                         const ports *network, const pm_gpu *gpu, int bridges)
{
  fprintf(out, "%s%s  <system id=\"%s\" name=\"%s: %d x %s\">\n", head, network->entry != NULL ? network->entry : "",
          id, id,
          machine->gpus, machine->gpu);
  fprintf(out, "    <gpu>%s</gpu>                <!-- perfmodel list gpus -->\n", machine->gpu);
  fprintf(out, "    <gpus>%d</gpus>                         <!-- of one node -->\n", machine->gpus);
  if (bridges > 0) write_bridges(out, machine, gpu, bridges);
  else fprintf(out, "    <topology>%s</topology>          <!-- pcie, nvswitch, pairs or sockets; or a <graph> with "
               "every "
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
            network->id, network->count, network->count, network->rate * 8e-9);
  else
    fputs("    <!-- Without a network the nodes are on their own:\n"
          "    <network link=\"infiniband-ndr\" count=\"8\"/>\n    -->\n", out);
  fputs("  </system>\n\n</perfmodel>\n", out);
}

/* The bridges between two cards, up to all that the cards take; 0: all. */
static int read_bridges(const cli_request *request, const pm_gpu *gpu, int *bridges)
{
  const char *text = request->value[OPTION_BRIDGES];
  int most = gpu->nvlinks / BRIDGE_LINKS;
  *bridges = 0;
  if (text == NULL) return CODE_DONE;
  if (strcmp(request->value[OPTION_TOPOLOGY], "pairs") != 0)
    return fail(CODE_USAGE, "--bridges is for --topology pairs, not %.40s", request->value[OPTION_TOPOLOGY]);
  if (strlen(text) != 1 || text[0] < '1' || text[0] - '0' > most)
    return fail(CODE_USAGE, "--bridges \"%.20s\" is not a number from 1 to %d, the bridges that %s takes", text,
                most, gpu->id);
  *bridges = text[0] - '0';
  return CODE_DONE;
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
  pm_gpu gpu;
  int bridges = 0;
  if (code == CODE_DONE && pm_catalog_get_record(catalog, "gpu", machine.gpu, &gpu, NULL) == PM_OK)
    code = read_bridges(request, &gpu, &bridges);
  if (code == CODE_DONE) code = read_network(catalog, request->value[OPTION_NETWORK], &network);
  if (code != CODE_DONE) return code;
  bool opened = page_open(&page);
  if (opened) write_system(page.stream, id_of(request), &machine, machine.topology, &network, &gpu, bridges);
  pm_string_free(network.entry);
  return opened ? page_write(&page, request) : fail_memory();
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

/* ---- GPUs and storage: a copy of another, with a line for each field, and what is to be different ---- */

/* The value of a field: as --set has it, else as the other states it. */
static const char *value_of(const cli_request *request, const char *field, const char *stated)
{
  size_t length = strlen(field);
  for (size_t i = 0; i < request->sets.count; i++)
    if (strncmp(request->sets.items[i], field, length) == 0 && request->sets.items[i][length] == '=')
      return request->sets.items[i] + length + 1;
  return stated;
}

/* That every --set is a field, and its value one. */
static int check_sets(const cli_request *request, const pm_record_type *type, void *record)
{
  pm_error error = PM_ERROR_NONE;
  for (size_t i = 0; i < request->sets.count; i++) {
    char name[PM_TEXT_MAX];
    const char *text = request->sets.items[i], *equals = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals != NULL ? equals - text : 0), text);
    const pm_field *field = equals != NULL ? pm_record_find_field(type, name) : NULL;
    if (field == NULL)
      return fail(CODE_USAGE, "--set \"%.60s\" is not FIELD=VALUE of a %s; perfmodel show %s NAME lists fields", text,
                  type->name, type->name);
    if (pm_record_set(field, record, equals + 1, &error) != PM_OK) return fail_error(&error);
  }
  return CODE_DONE;
}

static void write_copy(FILE *out, const cli_request *request, const pm_record_type *type, const char *like,
                       const pm_table *table)
{
  char value[PM_TEXT_MAX];
  const char *id = id_of(request);
  fprintf(out, "%s  <%s id=\"%s\" name=\"%s: like %s\">  <!-- leave out lines whose value you do not know -->\n",
          head,
          type->name, id, value_of(request, "name", id), like);
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *field = &type->fields[i];
    if (is_dropped(field->name)) continue;
    const char *text = value_of(request, field->name, shown(table, field->name, value));
    if (text != NULL) write_field(out, field, text);
    else write_absent(out, field);
  }
  fprintf(out, "  </%s>\n\n</perfmodel>\n", type->name);
}

static int new_copy(const cli_request *request, const pm_catalog *catalog, const char *kind)
{
  static const needed list[] = {{OPTION_LIKE, "like", "the nearest existing entry, see perfmodel list"}};
  cli_page page;
  pm_error error = PM_ERROR_NONE;
  union {
    pm_gpu gpu;
    pm_storage storage;
  } record;
  const pm_record_type *type = pm_record_type_find(kind);
  int code = check_given(request, kind, list, 1);
  if (code != CODE_DONE) return code;
  const char *like = pm_catalog_resolve(catalog, kind, request->value[OPTION_LIKE], &error);
  if (like == NULL || pm_catalog_get_record(catalog, kind, like, &record, &error) != PM_OK) return fail_error(&error);
  code = check_sets(request, type, &record);
  pm_table *table = code == CODE_DONE ? pm_catalog_show(catalog, kind, like, &error) : NULL;
  if (code != CODE_DONE) return code;
  if (table == NULL) return fail_error(&error);
  bool opened = page_open(&page);
  if (opened) write_copy(page.stream, request, type, like, table);
  pm_table_free(table);
  return opened ? page_write(&page, request) : fail_memory();
}

/* ---- Types of links between nodes ---- */

static int new_link(const cli_request *request, const pm_catalog *catalog)
{
  static const needed list[] = {{OPTION_RATE, "rate", "of one port, such as \"40 Gb/s\" or \"40 Gb/s roce\""}};
  ports network = {.count = 1};
  cli_page page;
  int code = check_given(request, "link", list, 1);
  if (code == CODE_DONE) code = find_link(catalog, request->value[OPTION_RATE], &network);
  if (code != CODE_DONE) return code;
  bool known = network.entry == NULL || network.entry[0] == '\0';
  if (known) code = fail(CODE_USAGE, "the catalogue has such a link: %s", network.id);
  else if (!page_open(&page)) code = fail_memory();
  else {
    fprintf(page.stream, "%s%s</perfmodel>\n", head, network.entry);
    code = page_write(&page, request);
  }
  pm_string_free(network.entry);
  return code;
}

/* ---- Networks of layers ---- */

static int new_network(const cli_request *request)
{
  cli_page page;
  if (!page_open(&page)) return fail_memory();
  fprintf(page.stream, "%s  <network id=\"%s\" name=\"%s\">\n"
          "    <param name=\"classes\" default=\"10\"/>           <!-- the option set gives it another value -->\n"
          "    <input shape=\"3,224,224\"/>                     <!-- of one sample -->\n"
          "    <conv2d out_channels=\"64\" kernel=\"7\" stride=\"2\" padding=\"3\"/>\n"
          "    <batch_norm/>\n    <relu/>\n    <max_pool kernel=\"3\" stride=\"2\" padding=\"1\"/>\n"
          "    <flatten/>\n    <linear out_features=\"classes\"/>\n    <softmax_loss/>\n"
          "  </network>                                  <!-- docs/networks.md has every layer -->\n\n</perfmodel>\n",
          head, id_of(request), id_of(request));
  return page_write(&page, request);
}

/* ---- Experiments ---- */

static int new_experiment(const cli_request *request)
{
  cli_page page;
  if (!page_open(&page)) return fail_memory();
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!-- Check it: perfmodel check FILE\n"
        "     Run it:   perfmodel run FILE, pm.experiment(\"FILE\") in Python and Lua\n"
        "     Editors:  perfmodel.xsd, installed in share/perfmodel, is its schema -->\n"
        "<experiment version=\"1\" name=\"batch and GPUs\">   <!-- task=\"inference\" or \"serving\" for these -->\n"
        "  <networks>resnet50, vgg16</networks>\n"
        "  <systems>dgx1-v100, dgx-a100</systems>\n\n"
        "  <!-- Any option of a run, one value or several: perfmodel help sweep. -->\n"
        "  <gpus>1, 2, 4, 8</gpus>\n"
        "  <batch>32, 64, 128</batch>\n"
        "  <precision>fp16</precision>\n"
        "  <axis path=\"gpu.memory_bandwidth\">x1, x1.1</axis>\n\n"
        "  <!-- Which rows are kept, by any column; less than is written &lt;. -->\n"
        "  <where>memory&lt;=16GB</where>\n"
        "  <best by=\"-throughput\" count=\"10\"/>         <!-- without it: all rows -->\n"
        "  <!-- <front by=\"-throughput, memory\"/>        no other is better in one, as good in the other -->\n\n"
        "  <columns>network, system, gpus, batch, gpu.memory_bandwidth, throughput, memory</columns>\n"
        "  <!-- <output>rows.csv</output>                 .csv .json .xlsx .parquet .arrow, folder/ -->\n"
        "</experiment>\n", page.stream);
  return page_write(&page, request);
}

/* ---- The command ---- */

static int make(const cli_request *request, const pm_catalog *catalog, const char *kind)
{
  bool link = strcmp(kind, "link") == 0 || (strcmp(kind, "network") == 0 && request->value[OPTION_RATE] != NULL);
  if (link) return new_link(request, catalog);
  if (strcmp(kind, "network") == 0) return new_network(request);
  if (strcmp(kind, "system") == 0) return new_system(request, catalog);
  if (strcmp(kind, "framework") == 0) return new_framework(request, catalog);
  return new_copy(request, catalog, kind);
}

static int run(const cli_request *request)
{
  static const char *const kinds[] = {"system", "framework", "gpu", "storage", "link", "network", "experiment", NULL};
  const char *kind = request->arguments.items[0];
  int code, known = 0;
  while (kinds[known] != NULL && strcmp(kinds[known], kind) != 0) known++;
  if (kinds[known] == NULL)
    return fail(CODE_USAGE, "new makes a system, gpu, storage, link, network, framework or experiment, not a "
                "\"%.60s\"; perfmodel export writes other entries", kind);
  if (strcmp(kind, "experiment") == 0) return new_experiment(request);
  code = check_id(id_of(request));
  if (code != CODE_DONE) return code;
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  code = make(request, catalog, kind);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_GPU, '\0', "gpu", "NAME", "the GPU of a system, see perfmodel list gpus"},
  {OPTION_GPUS, '\0', "gpus", "N", "GPUs of one node"},
  {OPTION_TOPOLOGY, '\0', "topology", "pcie|nvswitch|pairs|sockets",
   "connection of the GPUs: each by PCIe under its own CPU, all by NVLink "
   "switches, neighbours by NVLink bridges, or only over the host's sockets"},
  {OPTION_BRIDGES, '\0', "bridges", "N", "NVLink bridges between two cards of the topology pairs (default: all that "
                                        "fit)"},
  {OPTION_NETWORK, '\0', "network", "NxRATE", "ports of one node, \"8x400 Gb/s\", \"1x40 Gb/s ethernet\", or \"8x "
                                              "infiniband-ndr\" (default: none)"},
  {OPTION_RATE, '\0', "rate", "RATE", "rate of a link between nodes: \"40 Gb/s\", \"50 Gb/s roce\""},
  {OPTION_LIKE, '\0', "like", "NAME", "entry that a framework, GPU or storage is copied from, see perfmodel list"},
  {OPTION_SET, '\0', "set", "FIELD=VALUE", "a field of a GPU or storage that differs; may be repeated"},
  {OPTION_ID, '\0', "id", "ID", "id of the new entry (default mine)"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command new_command = {
  "new", "system|gpu|storage|link|network|framework|experiment", "begins your own catalogue file",
  "Prints a complete file with comments, which --catalog reads as it is: a system of a GPU of the catalogue and a "
  "usual "
  "way to join several; a GPU, storage or framework that begins as another; a link between nodes of any rate; a "
  "network "
  "of layers. An experiment is a sweep for perfmodel run. A copy of an entry is written by perfmodel export.",
  "perfmodel new system --gpu h100-sxm5 --gpus 8 --topology nvswitch --network \"8x400 Gb/s\" -o mine.xml", options, 1,
    1,
  run};
