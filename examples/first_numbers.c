/*
** First numbers: ResNet-50 training on 1, 2, 4 and 8 GPUs of a DGX-1 (V100), 64 images per GPU, mixed precision.
**
**     cc first_numbers.c $(pkg-config --cflags --libs perfmodel) -o first_numbers && ./first_numbers
*/
#include <stdio.h>
#include <perfmodel.h>

enum { COUNT = 4 };

static void print_predictions(const pm_run *runs, const pm_prediction *predictions)
{
  printf("%4s  %12s  %14s  %10s\n", "GPUs", "step [ms]", "images/s", "efficiency");
  for (int i = 0; i < COUNT; i++) {
    const pm_prediction *p = &predictions[i];
    if (p->status != PM_OK)
      printf("%4d  %s\n", (int)runs[i].gpus, pm_status_get_text(p->status));
    else
      printf("%4d  %12.2f  %14.1f  %9.1f%%\n", (int)runs[i].gpus, p->step_time * 1e3, p->throughput,
             p->scaling_efficiency * 100);
  }
}

/* Fills an array of runs, predicts them in one call, and prints them. Returns a status. */
static int predict(const pm_network *network, const pm_system *system, pm_error *error)
{
  pm_plan *plan = pm_plan_new(&network, 1, &system, 1, error);
  if (plan == NULL) return error->status;
  pm_run runs[COUNT];
  pm_prediction predictions[COUNT];
  for (int i = 0; i < COUNT; i++) {
    runs[i] = pm_run_make();
    runs[i].gpus = 1 << i;
    runs[i].batch = 64;
    runs[i].precision = PM_PRECISION_FP16;
  }
  int status = pm_predict(plan, runs, predictions, COUNT);
  if (status == PM_OK) print_predictions(runs, predictions);
  pm_plan_free(plan);
  return status;
}

/* What the network is made of. */
static int describe(const pm_network *network, pm_error *error)
{
  pm_network_totals totals;
  int status = pm_network_get_totals(network, &totals, error);
  if (status == PM_OK)
    printf("%s: %.0f parameters, %.0f MAC per image (1 MAC = 2 FLOP)\n\n", totals.name, totals.parameters, totals.mac);
  return status;
}

int main(void)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  pm_network *network = NULL;
  pm_system *system = NULL;
  /* The first error wins, so the chain is checked once, at its end. */
  if (catalog != NULL) network = pm_catalog_new_network(catalog, "resnet50", NULL, 0, &error);
  if (network != NULL) system = pm_catalog_new_system(catalog, "dgx1-v100", &error);
  int status = system == NULL ? error.status : describe(network, &error);
  if (status == PM_OK) status = predict(network, system, &error);
  if (status != PM_OK) fprintf(stderr, "first_numbers: %s\n", error.text);
  pm_system_free(system);
  pm_network_free(network);
  pm_catalog_free(catalog);
  return status == PM_OK ? 0 : 1;
}
