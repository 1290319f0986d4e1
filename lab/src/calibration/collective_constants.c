/* Constants of collectives: which there are, what they are before any row, and where they go. */
#include "calibration/collective_fit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* type, name: before any row, known within a factor; within which an architecture differs from the one before it, or a
** fabric from others (0: one for all); bounds. */
static const pm__lab_fit_kind kinds[] = {
  {"trend", "launch_trend", 1, 2, 0, 0.5, 2},
  {"fit", "launch", 5e-6, 2, 1.3, 1e-7, 1e-3},
  {"fit", "channel_launch", 0.1e-6, 3, 0, 1e-10, 1e-4},
  {"fit", "knee", 0.1, 3, 1.5, 0.001, 1},
  {"fit", "part_knee", 0.1, 3, 1.5, 0.001, 1},
  {"fit", "chain_knee", 0.1, 3, 0, 0.001, 1},
  {"fit", "network_knee", 0.2, 3, 1.5, 0.001, 1},
  {"fit", "network_base", 3e-6, 3, 0, 1e-9, 1e-3},
  {"fit", "network_hop", 3e-6, 3, 0, 1e-9, 1e-3},
  {"fit", "network_simple", 18e-6, 2, 0, 1e-9, 1e-3},
  {"fit", "in_switch_efficiency", 0.85, 1.1, 1.05, 0.3, 1},
  {"fit", "in_switch_latency", 5e-6, 2, 1.3, 1e-7, 1e-4},
  {"fit", "in_switch_network", 25e-6, 3, 0, 1e-9, 1e-3},
  {"fit", "in_switch_knee", 0.2, 3, 0, 0.001, 1},
  {"fit", "pairs_latency", 10e-6, 3, 0, 1e-9, 1e-3},
  {"fit", "pairs_rank", 0.6e-6, 3, 0, 1e-9, 1e-3},
  {"fit", "pairs_efficiency", 0.93, 1.1, 1.1, 0.3, 1},
  {"fit", "pairs_launch", 0.2, 2, 0, 0.001, 10},
  {"fit", "chain_rank", 1.3e-6, 3, 0, 1e-9, 1e-3},
  {"fit", "chain_fill", 6e-6, 3, 0, 1e-9, 1e-3},
  {"fit", "chunk", 900e3, 3, 0, 1, 1e8},
  {"fit", "old_chunk", 150e3, 3, 0, 1, 1e8},
  {"fit", "old_launch", 4.2e-6, 3, 0, 1e-7, 1e-3},
  {"fit", "ll_share", 1, 2, 0, 0.1, 2},
  {"fit", "ll128_share", 1, 2, 0, 0.1, 1},
  {"fit", "odd_share", 0.43, 2, 0, 0.05, 1},
  {"fit", "step_share", 1, 1.5, 1.3, 0.2, 5},
  {"fit", "base_share", 1, 1.5, 0, 0.1, 5},
  {"fit", "local_rate", 1e12, 2, 1.3, 1e10, 1e14},
  {"calibration", "efficiency", 0.9, 1.15, 0, 0.05, 1},
  {"calibration", "fabric_latency", 40e-6, 2, 1.5, 1e-9, 1e-3},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* What the library itself counts on of a link (nccl, rccl: src/graph/topo.h), over line rate. A link that is not here
** keeps what the catalogue says. */
static const struct {
  const char *link;
  double efficiency;
} assumed[] = {
  {"nvlink1", 18.0 / 20}, {"nvlink2", 20.0 / 25}, {"nvlink2-nvswitch", 20.0 / 25}, {"nvlink3-nvswitch", 20.0 / 25},
  {"nvlink4-nvswitch", 20.6 / 25}, {"nvlink5-nvswitch", 40.1 / 50}, {"xgmi-mi300", 48.0 / 64},
  {"roce-100g", 12 / 12.5}, {"roce-100g-container", 12 / 12.5}, {"efa-100g", 12 / 12.5},
  {"efa-100g-p3dn", 12 / 12.5}, {"efa2-100g", 12 / 12.5}, {"tcpxo-200g", 24 / 25.0}, {"roce-400g", 48 / 50.0},
};

/* Transports that a cloud runs between GPU and wire, and functions of an adapter that a container shares: they add to
** the latency of a hop, as remote direct memory access by the adapter does not. */
static const char *const slow_fabrics[] = {"efa-100g", "efa-100g-p3dn", "efa2-100g", "tcpxo-200g",
                                           "roce-100g-container"};

/* In-switch reduction of Blackwell over that of Hopper: nccl, src/graph/tuning.cc, 0.74 and 0.85. */
static double own_start(const pm__lab_fit_kind *kind, const char *entry)
{
  bool later = strcmp(kind->name, "in_switch_efficiency") == 0 && strcmp(entry, "blackwell") == 0;
  return later ? 0.74 / 0.85 : 1;
}

/* ---- The list ---- */

static int add(pm__lab_collective_fit *fit, const pm__lab_fit_kind *kind, const char *entry, int parent, double start,
               pm_error *error)
{
  if (fit->count == PM__FIT_CONSTANTS) return pm__fail(error, PM_STATUS_BAD_VALUE, "too many constants to fit");
  const pm_field *field = strcmp(kind->type, "fit") == 0 ? pm_record_find_field(pm_record_type_find("fit"), kind->name)
                                                         : NULL;
  fit->constants[fit->count++] = (pm__lab_fit_constant){.kind = kind, .entry = entry, .parent = parent,
                                                        .start = start, .field = field, .trend = -1};
  return PM_OK;
}

static int find_constant(const pm__lab_collective_fit *fit, const char *name, const char *entry)
{
  for (size_t i = 0; i < fit->count; i++)
    if (strcmp(fit->constants[i].entry, entry) == 0 && strcmp(fit->constants[i].kind->name, name) == 0) return (int)i;
  return -1;
}

static bool is_known(const pm__lab_collective_fit *fit, const pm__lab_fit_kind *kind, const char *entry)
{
  for (size_t i = 0; i < fit->count; i++)
    if (fit->constants[i].kind == kind && strcmp(fit->constants[i].entry, entry) == 0) return true;
  return false;
}

/* Architectures, each after one that it is like before any row, and how many generations later it is: 0 for a
** counterpart, below 0 for what came before the first with rows. */
static const struct {
  const char *id, *like;
  double steps;
} generations[] = {{"pascal", NULL, 0},    {"maxwell", "pascal", -1}, {"kepler", "maxwell", -1}, {"volta", "pascal", 1},
                   {"turing", "volta", 0}, {"ampere", "volta", 1},    {"hopper", "ampere", 1},
                     {"blackwell", "hopper", 1},
                   {"cdna2", "ampere", 0}, {"cdna3", "cdna2", 1}};

/* The constant called "launch_trend" of "launch", if there is one. */
static int find_trend(const pm__lab_collective_fit *fit, const char *name)
{
  char trend[PM_TEXT_MAX];
  snprintf(trend, sizeof trend, "%.60s_trend", name);
  return find_constant(fit, trend, "");
}

/* One for all architectures, or one for each. */
static int add_architectures(pm__lab_collective_fit *fit, const pm__lab_fit_kind *kind, pm_error *error)
{
  int status = kind->own > 0 ? PM_OK : add(fit, kind, "", -1, kind->start, error);
  for (size_t i = 0; i < sizeof generations / sizeof generations[0] && kind->own > 0 && status == PM_OK; i++) {
    const char *id = generations[i].id, *like = generations[i].like;
    int parent = like != NULL ? find_constant(fit, kind->name, like) : -1;
    status = add(fit, kind, id, parent, parent >= 0 ? own_start(kind, id) : kind->start, error);
    if (status != PM_OK) break;
    fit->constants[fit->count - 1].trend = find_trend(fit, kind->name);
    fit->constants[fit->count - 1].steps = generations[i].steps;
  }
  return status;
}

static int add_link(pm__lab_collective_fit *fit, const pm__lab_fit_kind *kind, const char *link, pm_error *error)
{
  for (size_t i = 0; i < sizeof assumed / sizeof assumed[0]; i++)
    if (strcmp(assumed[i].link, link) == 0 && !is_known(fit, kind, assumed[i].link))
      return add(fit, kind, assumed[i].link, -1, assumed[i].efficiency, error);
  return PM_OK;
}

/* Of the links that limit some group. */
static int add_efficiencies(pm__lab_collective_fit *fit, const pm__lab_fit_kind *kind, pm_error *error)
{
  int status = PM_OK;
  for (size_t g = 0; g < fit->rows.group_count && status == PM_OK; g++) {
    const pm__lab_fit_group *group = &fit->rows.groups[g];
    status = add_link(fit, kind, pm_group_get_facts(group->made).link, error);
    if (status == PM_OK && group->members.choice.nodes > 1)
      status = add_link(fit, kind, pm_group_get_facts(group->made).network_link, error);
  }
  return status;
}

static int add_fabrics(pm__lab_collective_fit *fit, const pm__lab_fit_kind *kind, pm_error *error)
{
  int common = (int)fit->count, status = add(fit, kind, "", -1, kind->start, error);
  for (size_t i = 0; i < sizeof slow_fabrics / sizeof slow_fabrics[0] && status == PM_OK; i++)
    status = add(fit, kind, slow_fabrics[i], common, 1, error);
  return status;
}

/* ---- Where they go ---- */

static bool is_of_link(const pm__lab_fit_constant *c)
{
  return strcmp(c->kind->type, "calibration") == 0 && c->entry[0] != '\0';
}

static pm_link_calibration *find_link(pm__lab_collective_fit *fit, const char *id)
{
  for (size_t i = 0; i < fit->link_count; i++)
    if (strcmp(fit->links[i].id, id) == 0) return &fit->links[i];
  pm_link_calibration *link = &fit->links[fit->link_count++];
  pm_record_clear(pm_record_type_find("calibration"), link);
  pm__text_set(link->id, sizeof link->id, id);
  return link;
}

static double *place_of_link(pm__lab_collective_fit *fit, const pm__lab_fit_constant *c)
{
  pm_link_calibration *link = find_link(fit, c->entry);
  return strcmp(c->kind->name, "efficiency") == 0 ? &link->efficiency : &link->fabric_latency;
}

/* The constants that the catalogue gives a machine, before those under trial. */
static void find_places(pm__lab_collective_fit *fit)
{
  for (size_t m = 0; m < fit->rows.machine_count; m++) {
    pm__lab_fit_machine *machine = &fit->rows.machines[m];
    const char *architecture = pm_system_get_gpu(machine->built)->architecture;
    if (pm_catalog_get_record(fit->catalog, "fit", architecture, &machine->fit, NULL) != PM_OK)
      memset(&machine->fit, 0, sizeof machine->fit);
    for (size_t i = 0; i < fit->count; i++) {
      const pm__lab_fit_constant *c = &fit->constants[i];
      machine->feels[i] = c->field != NULL && (c->kind->own <= 0 || strcmp(c->entry, architecture) == 0);
    }
  }
  for (size_t i = 0; i < fit->count; i++)
    if (is_of_link(&fit->constants[i])) fit->constants[i].link = place_of_link(fit, &fit->constants[i]);
}

/* ---- Rows of the user: what the catalogue has ---- */

/* A constant of all architectures stands in the entries of all: that of the first machine. */
static double value_in_catalog(const pm__lab_collective_fit *fit, const pm__lab_fit_constant *c)
{
  const char *first = pm_system_get_gpu(fit->rows.machines[0].built)->architecture;
  pm_collective_fit stated;
  pm_link_calibration link;
  if (c->field != NULL) {
    const char *id = c->entry[0] != '\0' ? c->entry : first;
    bool known = pm_catalog_get_record(fit->catalog, "fit", id, &stated, NULL) == PM_OK;
    return known ? pm_record_get_number(c->field, &stated) : (double)NAN;
  }
  if (pm_catalog_get_record(fit->catalog, "calibration", c->entry, &link, NULL) != PM_OK) return NAN;
  return strcmp(c->kind->name, "efficiency") == 0 ? link.efficiency : link.fabric_latency;
}

static void start_from_catalog(pm__lab_collective_fit *fit)
{
  for (size_t i = 0; i < fit->count; i++) {
    pm__lab_fit_constant *c = &fit->constants[i];
    double value = value_in_catalog(fit, c);
    if (!(value > 0)) continue;
    c->start = fmin(fmax(value, c->kind->lower), c->kind->upper);
    c->parent = -1; /* rows of one GPU say nothing of others */
  }
}

int pm__lab_fit_constants(pm__lab_collective_fit *fit, pm_error *error)
{
  int status = PM_OK;
  for (size_t k = 0; k < KINDS && status == PM_OK; k++) {
    const pm__lab_fit_kind *kind = &kinds[k];
    if (strcmp(kind->type, "trend") == 0) status = add(fit, kind, "", -1, kind->start, error);
    else if (strcmp(kind->type, "fit") == 0) status = add_architectures(fit, kind, error);
    else if (strcmp(kind->name, "efficiency") == 0) status = add_efficiencies(fit, kind, error);
    else status = add_fabrics(fit, kind, error);
  }
  if (status == PM_OK && fit->own) start_from_catalog(fit);
  if (status == PM_OK) find_places(fit);
  return status;
}

/* ---- Values ---- */

double pm__lab_fit_surprise(const pm__lab_collective_fit *fit, const double *values, size_t i)
{
  const pm__lab_fit_constant *c = &fit->constants[i];
  double before = c->start * (c->parent >= 0 ? values[c->parent] : 1);
  if (c->trend >= 0) before *= pow(values[c->trend], c->steps);
  return log(values[i] / before) / log(c->parent >= 0 ? c->kind->own : c->kind->factor);
}

static void put_machine(const pm__lab_collective_fit *fit, const double *values, pm__lab_fit_machine *machine)
{
  machine->moved = false;
  for (size_t i = 0; i < fit->count; i++) {
    if (!machine->feels[i]) continue;
    double *place = (double *)(void *)((char *)&machine->fit + fit->constants[i].field->offset);
    machine->moved = machine->moved || *place != values[i];
    *place = values[i];
  }
}

static void put_values(pm__lab_collective_fit *fit, const double *values)
{
  for (size_t m = 0; m < fit->rows.machine_count; m++) put_machine(fit, values, &fit->rows.machines[m]);
  fit->links_moved = false;
  for (size_t i = 0; i < fit->count; i++) {
    double *link = fit->constants[i].link;
    if (link == NULL) continue;
    fit->links_moved = fit->links_moved || *link != values[i];
    *link = values[i];
  }
}

/* ---- Predictions ---- */

static void predict_group(pm__lab_collective_fit *fit, const pm__lab_fit_group *group)
{
  enum { CHUNK = 64 };
  pm_call calls[CHUNK];
  pm_collective_time times[CHUNK];
  const pm_collective_fit *constants = &fit->rows.machines[group->machine].fit;
  bool connected = pm_group_set_constants(group->made, constants, fit->links, fit->link_count, NULL) == PM_OK;
  for (size_t first = 0; first < group->count; first += CHUNK) {
    pm__lab_collective_row *rows = &fit->rows.items[group->first + first];
    size_t n = group->count - first < CHUNK ? group->count - first : CHUNK;
    for (size_t i = 0; i < n; i++) {
      calls[i] = group->call;
      calls[i].bytes = rows[i].bytes;
    }
    if (connected) connected = pm_group_evaluate(group->made, calls, times, n) == PM_OK;
    for (size_t i = 0; i < n; i++) rows[i].predicted = connected ? times[i].time : (double)NAN;
  }
}

/* Most constants are of one architecture, so that few machines move with one of them. */
void pm__lab_fit_predict(pm__lab_collective_fit *fit, const double *values)
{
  put_values(fit, values);
  const bool all = !fit->predicted || fit->links_moved;
  for (size_t g = 0; g < fit->rows.group_count; g++)
    if (all || fit->rows.machines[fit->rows.groups[g].machine].moved) predict_group(fit, &fit->rows.groups[g]);
  fit->predicted = true;
}
