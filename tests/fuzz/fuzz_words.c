/* Any line as a number, a quantity, an expression, a formula, the name of an entry, a value of the hardware. */
#include <math.h>
#include "fuzz.h"
#include "validation/formula.h"
#include "network/definition.h"
#include "search/vary.h"

/* What is read is finite, and comes back from what is written. */
static void number(const char *text)
{
  double value, back;
  char buffer[PM_NUMBER_MAX];
  if (pm_number_parse(text, &value) != PM_OK) return;
  must(isfinite(value));
  must(pm_number_parse(pm_number_format(buffer, value), &back) == PM_OK && back == value);
}

static void quantity(const char *text)
{
  static const char *const units[] = {"B/s", "FLOP/s", "s", "B", "1", "Hz", "W", ""};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    double value;
    char buffer[80];
    pm_error error = PM_ERROR_NONE;
    bool worked = pm_quantity_parse(text, units[i], &value, &error) == PM_OK;
    must_be_said(worked, &error);
    must(!worked || !isnan(value));
    if (worked) must(strlen(pm_quantity_format(buffer, sizeof buffer, value, units[i])) < sizeof buffer);
  }
}

static bool look_up(const void *scope, const char *name, size_t length, double *value)
{
  (void)scope, (void)name;
  *value = (double)length;
  return length < 4;
}

static int resolve(void *user, const char *name, const char *arguments, double *value, pm_error *error)
{
  (void)user, (void)error;
  *value = (double)strlen(name) - (double)strlen(arguments);
  return PM_OK;
}

static void expressions(const char *text)
{
  double value;
  pm__lab_formula out;
  pm_error error = PM_ERROR_NONE, other = PM_ERROR_NONE;
  bool worked = pm__expression(text, look_up, NULL, &value, &error) == PM_OK;
  must_be_said(worked, &error);
  must(!worked || (isfinite(value) && value == floor(value)));
  must_be_said(pm__lab_formula_evaluate(text, resolve, NULL, &out, &other) == PM_OK, &other);
}

/* A name of the catalogue, or a system as a word: "h100-sxm5*8:nvswitch"; a model as hubs call it. */
static void name(const char *text)
{
  pm_error error = PM_ERROR_NONE, other = PM_ERROR_NONE;
  must_be_said(pm_catalog_resolve(shipped(), "network", text, &other) != NULL, &other);
  const char *id = pm_catalog_resolve(shipped(), "systems", text, &error);
  must_be_said(id != NULL, &error);
  pm_system *system = id != NULL ? pm_catalog_new_system(shipped(), text, &error) : NULL;
  pm_system_free(system);
}

static void hardware(const char *text)
{
  static const char *const paths[] = {"gpu.memory_bandwidth", "link.nvlink2.bandwidth",
                                      "calibration.nvlink2.hop_latency"};
  static pm_system *system;
  if (system == NULL) must((system = pm_catalog_new_system(shipped(), "dgx1-v100", NULL)) != NULL);
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_system *copy = pm_system_new_with_number(system, paths[i], text, &error);
    must_be_said(copy != NULL, &error);
    must(copy == NULL || isfinite(pm__system_get_number(copy, paths[i], NULL)));
    pm_system_free(copy);
  }
  pm_error error = PM_ERROR_NONE;
  must_be_said(pm_hardware_find_field(text, &error) != NULL, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char *text = text_of(bytes, size);
  for (char *line = text, *next; *line != '\0'; line = next) {
    next = behind_first_line(line);
    number(line);
    quantity(line);
    expressions(line);
    name(line);
    hardware(line);
  }
  free(text);
  return 0;
}
