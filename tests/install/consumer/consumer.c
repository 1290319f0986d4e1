/* A user's program, as small as can be: prints one prediction with all its digits. */
#include <stdio.h>
#include <string.h>
#include <perfmodel.h>

static double throughput(const pm_network *network, const pm_system *system, const pm_framework_profile *framework,
                         pm_error *error)
{
  pm_plan *plan = pm_plan_new(&network, 1, &system, 1, error);
  pm_run run = pm_run_make();
  if (plan != NULL) run.framework_index = pm_plan_add_framework(plan, framework, error);
  pm_prediction prediction;
  run.gpus = 8;
  run.batch = 64;
  run.precision = PM_PRECISION_FP16;
  prediction.throughput = 0;
  if (plan != NULL) pm_predict(plan, &run, &prediction, 1);
  pm_plan_free(plan);
  return prediction.throughput;
}

int main(void)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  pm_network *network = catalog ? pm_catalog_new_network(catalog, "resnet50", NULL, 0, &error) : NULL;
  pm_system *system = catalog ? pm_catalog_new_system(catalog, "dgx1-v100", &error) : NULL;
  pm_framework_profile framework;
  const char *architecture = system != NULL ? pm_system_get_gpu(system)->architecture : NULL;
  int known = catalog != NULL && pm_catalog_get_framework_on(catalog, NULL, architecture, &framework, &error) == PM_OK;
  double value = network && system && known ? throughput(network, system, &framework, &error) : 0;
  pm_system_free(system);
  pm_network_free(network);
  pm_catalog_free(catalog);
  if (strcmp(pm_version_get(), PM_VERSION) != 0 || !(value > 0)) {
    fprintf(stderr, "consumer: %s\n", error.text[0] ? error.text : "header and library differ, or no prediction");
    return 1;
  }
  printf("%.17g\n", value);
  return 0;
}
