/*
** Values that can be read but are hardly meant. Works on the document, before anything is resolved, so that it has an
** answer for files that do not load.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"
#include "hardware/system.h"
#include "perfmodel/units.h"

typedef struct findings {
  pm_finding *items;
  size_t count, capacity;
  bool failed;
} findings;

static const char *attribute(const pm__element *e, const char *name)
{
  const char *value = pm__element_attribute(e, name);
  return value != NULL ? value : "";
}

static const pm__element *child(const pm__element *e, const char *name)
{
  for (const pm__element *c = e->child; c != NULL; c = c->next)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

/* A quantity of an entry; NAN if it is not there or cannot be read. */
static double quantity(const pm__element *entry, const char *name, const char *unit)
{
  double value;
  const pm__element *e = child(entry, name);
  if (e == NULL) return NAN;
  int status = strcmp(unit, "1") == 0 ? pm_number_parse(e->text, &value) : pm_quantity_parse(e->text, unit, &value,
      NULL);
  return status == PM_OK ? value : (double)NAN;
}

static void add_finding(findings *list, const pm__element *entry, const pm__element *e, const char *finding,
                const char *suggestion)
{
  pm_finding *items = (pm_finding *)pm__grow(list->items, list->count, &list->capacity, sizeof *items);
  if (items == NULL) {
    list->failed = true;
    return;
  }
  list->items = items;
  pm_finding *f = &items[list->count++];
  memset(f, 0, sizeof *f);
  f->line = e->line;
  snprintf(f->entry, sizeof f->entry, "%.79s", attribute(entry, "id"));
  snprintf(f->field, sizeof f->field, "%.79s", e->name);
  snprintf(f->value, sizeof f->value, "%.79s", e->text);
  snprintf(f->finding, sizeof f->finding, "%.79s", finding);
  snprintf(f->suggestion, sizeof f->suggestion, "%.79s", suggestion);
}

static bool near(double value, double target)
{
  return fabs(value / target - 1) < 0.06;
}

/* ---- Links ---- */

/* Rate per direction of 16 lanes of each generation, and the number in the link's own name ("pcie3-x16", "Gen4"). */
static double pcie_rate(const char *id, const char *name, int *generation)
{
  static const double rate[] = {0, 4e9, 8e9, 15.754e9, 31.508e9, 63.015e9, 121e9};
  const char *texts[] = {id, name};
  for (int i = 0; i < 2; i++)
    for (const char *p = texts[i]; *p != '\0'; p++) {
      bool pcie = strncmp(p, "pcie", 4) == 0 || strncmp(p, "PCIe", 4) == 0 || strncmp(p, "Gen", 3) == 0 ||
                  strncmp(p, "gen", 3) == 0 || strncmp(p, "Express", 7) == 0;
      const char *digit = pcie ? p + strcspn(p, "0123456789") : NULL;
      if (digit == NULL || digit > p + 9 || *digit < '1' || *digit > '6') continue;
      *generation = *digit - '0';
      return rate[*generation];
    }
  return 0;
}

static int lanes(const char *id, const char *name)
{
  const char *texts[] = {id, name};
  for (int i = 0; i < 2; i++)
    for (const char *p = texts[i]; *p != '\0'; p++)
      if (*p == 'x' && p[1] != '0' && pm__whole_at(p + 1, 32, NULL) > 0) return pm__whole_at(p + 1, 32, NULL);
  return 16;
}

static void check_pcie(findings *list, const pm__element *entry, const pm__element *e, double value)
{
  int generation;
  char text[PM_TEXT_MAX], most[40], finding[2 * PM_TEXT_MAX];
  double rate = pcie_rate(attribute(entry, "id"), attribute(entry, "name"), &generation);
  if (rate == 0) return;
  rate *= lanes(attribute(entry, "id"), attribute(entry, "name")) / 16.0;
  if (value <= rate * 1.02) return;
  pm_quantity_format(most, sizeof most, rate, "B/s");
  snprintf(text, sizeof text, "%s", most);
  bool both = near(value, 2 * rate) || near(value, 2 * rate * 1.0157); /* with or without line coding */
  if (near(value, rate * 1.0157) && value < rate * 1.03) {
    add_finding(list, entry, e, "before line coding", text);
    return;
  }
  snprintf(finding, sizeof finding, both ? "both directions counted" : "above what PCIe %d.0 carries per direction",
           generation);
  add_finding(list, entry, e, finding, text);
}

/* Network rates come as 10, 25, 40, 50, 100, 200, 400, 800 Gbit/s; the same number of GB/s is a slip. */
static void check_network(findings *list, const pm__element *entry, const pm__element *e, double value)
{
  static const double rates[] = {10, 25, 40, 50, 54.54, 56, 100, 200, 400, 800};
  char text[PM_TEXT_MAX];
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    if (!near(value, rates[i] * 1e9) || strstr(e->text, "bit") != NULL || value <= 20e9) continue;
    snprintf(text, sizeof text, "%g Gbit/s", rates[i]);
    add_finding(list, entry, e, "gigabits written as gigabytes", text);
    return;
  }
  if (value > 100e9) add_finding(list, entry, e, "above 800 Gbit/s, the fastest port there is", "Gbit/s, and per port");
}

static void check_nvlink(findings *list, const pm__element *entry, const pm__element *e, double value)
{
  static const struct {
    const char *mark;
    double rate;
  } known[] = {{"nvlink1", 20e9}, {"nvlink2", 25e9}, {"nvlink3", 25e9}, {"nvlink4", 25e9}, {"nvlink5", 50e9}};
  char text[PM_TEXT_MAX];
  double rate = 50e9;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strstr(attribute(entry, "id"), known[i].mark) != NULL) rate = known[i].rate;
  if (value <= rate * 1.06) return;
  pm_quantity_format(text, sizeof text, rate, "B/s");
  add_finding(list, entry, e, near(value, 2 * rate) ? "both directions counted" :
              "more than one link, or both directions",
      text);
}

static void check_link(findings *list, const pm__element *entry)
{
  const pm__element *e = child(entry, "bandwidth"), *kind = child(entry, "kind");
  double value = quantity(entry, "bandwidth", "B/s");
  if (e == NULL || kind == NULL || isnan(value)) return;
  if (strcmp(kind->text, "pcie") == 0) check_pcie(list, entry, e, value);
  if (strcmp(kind->text, "infiniband") == 0 || strcmp(kind->text, "ethernet") == 0)
    check_network(list, entry, e, value);
  if (strcmp(kind->text, "nvlink") == 0) check_nvlink(list, entry, e, value);
}

/* ---- GPUs ---- */

/* Dense FP16 FLOP of the tensor cores of one SM per clock. */
static double tensor_flop(const char *architecture)
{
  static const struct {
    const char *name;
    double flop;
  } known[] = {{"volta", 1024}, {"turing", 1024}, {"ampere", 2048}, {"ada", 1024}, {"hopper", 4096},
               {"blackwell", 8192}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(known[i].name, architecture) == 0) return known[i].flop;
  return NAN;
}

static void check_peak(findings *list, const pm__element *entry, const char *field, double dense)
{
  char text[PM_TEXT_MAX];
  const pm__element *e = child(entry, field);
  double value = quantity(entry, field, "FLOP/s");
  if (e == NULL || isnan(value) || isnan(dense) || value < 1.6 * dense) return;
  pm_quantity_format(text, sizeof text, value / 2, "FLOP/s");
  bool twice = value < 2.6 * dense;
  add_finding(list, entry, e, twice ? "twice the dense peak: with sparsity" : "far above what its SMs and clock give",
      twice ? text : "check the number and the prefix");
}

static void check_gpu(findings *list, const pm__element *entry)
{
  const pm__element *architecture = child(entry, "architecture"), *e = child(entry, "memory_bandwidth");
  double sms = quantity(entry, "sms", "1"), clock = quantity(entry, "clock", "Hz");
  double dense = architecture != NULL ? tensor_flop(architecture->text) * sms * clock : (double)NAN;
  check_peak(list, entry, "peak_fp16_tensor", dense);
  check_peak(list, entry, "peak_bf16_tensor", dense);
  check_peak(list, entry, "peak_tf32_tensor", dense / 2);
  check_peak(list, entry, "peak_fp8_tensor", dense * 2);
  check_peak(list, entry, "peak_fp4_tensor", dense * 4);
  check_peak(list, entry, "peak_int8", dense * 2);
  double bandwidth = quantity(entry, "memory_bandwidth", "B/s"), memory = quantity(entry, "memory", "B");
  if (e != NULL && bandwidth > 20e12)
    add_finding(list, entry, e, "above any memory there is", "GB/s, or Gbit/s divided by 8");
  if (e != NULL && bandwidth < 40e9) add_finding(list, entry, e, "below any GPU's memory", "check the prefix");
  if (child(entry, "memory") != NULL && (memory > 2e12 || memory < 1e9))
    add_finding(list, entry, child(entry, "memory"), "not the memory of one GPU", "GB of one device");
  if (child(entry, "clock") != NULL && clock < 200e6)
    add_finding(list, entry, child(entry, "clock"), "below any GPU's boost clock", "MHz or GHz");
}

/* ---- Systems ---- */

static void check_system(findings *list, const pm__element *entry)
{
  const pm__element *network = child(entry, "network"), *storage = child(entry, "storage_bandwidth");
  double memory = quantity(entry, "host_memory", "B");
  if (storage != NULL && quantity(entry, "storage_bandwidth", "B/s") > 500e9)
    add_finding(list, entry, storage, "above the local storage of any node", "GB/s of reading, not Gbit/s");
  if (child(entry, "host_memory") != NULL && memory < 4e9)
    add_finding(list, entry, child(entry, "host_memory"), "less than one GPU's memory", "GB, not MB");
  const char *count = network != NULL ? attribute(network, "count") : "";
  if (count[0] >= '0' && count[0] <= '9' && pm__whole_at(count, 128, NULL) < 0)
    add_finding(list, entry, network, "more network ports than a node has", "ports of one node");
}

/* ---- The whole ---- */

static pm_table *table_of(findings *list, pm_error *error)
{
  if (!list->failed) return pm_table_new_of_records(pm_record_type_find("finding"), list->items, list->count, error);
  pm__no_memory(error);
  return NULL;
}

pm_table *pm_file_diagnose(const char *path, pm_error *error)
{
  findings list = {NULL, 0, 0, false};
  pm__documents documents = {NULL, 0, 0};
  if (path == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no file");
    return NULL;
  }
  pm_table *table = NULL;
  if (pm__documents_read(&documents, path, error) == PM_OK) {
    for (size_t i = 0; i < documents.count; i++)
      for (const pm__element *e = documents.items[i]->root->child; e != NULL; e = e->next) {
        if (strcmp(e->name, "gpu") == 0) check_gpu(&list, e);
        if (strcmp(e->name, "link") == 0) check_link(&list, e);
        if (strcmp(e->name, "system") == 0) check_system(&list, e);
      }
    table = table_of(&list, error);
  }
  pm__documents_free(&documents);
  free(list.items);
  return table;
}
