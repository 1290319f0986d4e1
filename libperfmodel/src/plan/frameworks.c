/* Frameworks of a plan: what was not given costs nothing; the kernels and cuts that they need. */
#include <math.h>
#include <stdlib.h>
#include "lowering/library.h"
#include "plan/plan.h"

static double given(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

static void complete(pm_framework *f)
{
  f->kernel_time = given(f->kernel_time, 0);
  f->step_time = given(f->step_time, 0);
  f->straggler = given(f->straggler, 0);
  f->coordinator_time = given(f->coordinator_time, 0);
  f->variable_time = given(f->variable_time, 0);
  f->own_factor = given(f->own_factor, 1);
  f->update_kernels = given(f->update_kernels, 1);
  f->feed_bandwidth = given(f->feed_bandwidth, INFINITY);
  f->bucket = given(f->bucket, INFINITY);
  f->workspace = given(f->workspace, INFINITY);
}

static int add_kernels(pm_plan *plan, pm__execution execution, pm_error *error)
{
  for (size_t i = 0; i < plan->network_count; i++) {
    pm__plan_network *n = &plan->networks[i];
    if (n->kernels[execution] == NULL) n->kernels[execution] = pm__kernels_new(n->network, execution, error);
    if (n->kernels[execution] == NULL) return PM_NO_MEMORY;
  }
  return PM_OK;
}

/* The cut of all networks; those that are cut already keep it if a later one fails, and are cut anew then. */
static int cut_networks(pm_plan *plan, const pm__cut *cut, pm_error *error)
{
  for (size_t i = 0; i < plan->network_count; i++) {
    pm__plan_network *n = &plan->networks[i];
    pm__segments **cuts = (pm__segments **)pm__grow(n->cuts, plan->cut_count, &n->cut_capacity, sizeof *cuts);
    if (cuts == NULL) return pm__no_memory(error);
    n->cuts = cuts;
    cuts[plan->cut_count] = NULL;
  }
  for (size_t i = 0; i < plan->network_count; i++) {
    pm__plan_network *n = &plan->networks[i];
    pm__segments *segments = pm__segments_new(n->network, n->kernels[cut->execution], cut->execution, cut->bucket, error);
    n->cuts[plan->cut_count] = segments;
    if (segments != NULL) continue;
    while (i-- > 0) pm__segments_free(plan->networks[i].cuts[plan->cut_count]);
    return PM_NO_MEMORY;
  }
  return PM_OK;
}

/* The number of a cut, made if it is new; -1 with an error. */
static int cut_of(pm_plan *plan, pm__execution execution, double bucket, pm_error *error)
{
  const pm__cut wanted = {execution, bucket};
  for (size_t i = 0; i < plan->cut_count; i++)
    if (plan->cuts[i].execution == execution && plan->cuts[i].bucket == bucket) return (int)i;
  pm__cut *cuts = (pm__cut *)pm__grow(plan->cuts, plan->cut_count, &plan->cut_capacity, sizeof *cuts);
  if (cuts == NULL) {
    pm__no_memory(error);
    return -1;
  }
  plan->cuts = cuts;
  if (cut_networks(plan, &wanted, error) != PM_OK) return -1;
  plan->cuts[plan->cut_count] = wanted;
  return (int)plan->cut_count++;
}

static int prepare_cuts(pm_plan *plan, const pm_framework *f, pm__execution execution, int *cut, pm_error *error)
{
  static const double sizes[PM__SIZES] = {1, 2, 4, 8};
  int status = add_kernels(plan, execution, error);
  for (int i = 0; i < PM__SIZES && status == PM_OK; i++) {
    cut[i] = cut_of(plan, execution, f->bucket / (f->gradient > 0 ? f->gradient : sizes[i]), error);
    if (cut[i] < 0) status = PM_NO_MEMORY;
  }
  return status;
}

static bool same_convolutions(const pm_framework_profile *a, const pm_framework_profile *b)
{
  const pm_library_era *x = &a->era, *y = &b->era;
  return x->no_winograd == y->no_winograd && x->no_weight_winograd == y->no_weight_winograd &&
         x->odd_channels_padded == y->odd_channels_padded && x->grouped_kernels == y->grouped_kernels &&
         a->framework.workspace == b->framework.workspace;
}

/* Of each different GPU, as the plan has it. */
static bool fill_library(const pm_plan *plan, pm__library *library, const pm_framework_profile *profile)
{
  library->profile = *profile;
  library->devices = (pm__device (*)[PM_PRECISION_COUNT])calloc(plan->system_count, sizeof *library->devices);
  for (size_t i = 0; library->devices != NULL && i < plan->system_count; i++)
    if (plan->systems[i].device == (int)i) pm__plan_devices(plan->systems[i].system, profile, library->devices[i]);
  return library->devices != NULL;
}

/* The number of a library, made if it is new; -1 with an error. */
static int library_of(pm_plan *plan, const pm_framework_profile *profile, pm_error *error)
{
  for (size_t i = 0; i < plan->library_count; i++)
    if (same_convolutions(&plan->libraries[i].profile, profile)) return (int)i;
  pm__library *libraries = (pm__library *)pm__grow(plan->libraries, plan->library_count, &plan->library_capacity,
                                                   sizeof *libraries);
  if (libraries != NULL) plan->libraries = libraries;
  if (libraries != NULL && fill_library(plan, &libraries[plan->library_count], profile))
    return (int)plan->library_count++;
  pm__no_memory(error);
  return -1;
}

static int prepare(pm_plan *plan, pm__plan_framework *entry, pm_error *error)
{
  const pm_framework *f = &entry->profile.framework;
  entry->execution[0] = pm__execution_of(f->fused, f->composed, false);
  entry->execution[1] = pm__execution_of(f->fused, f->composed, true);
  entry->library = library_of(plan, &entry->profile, error);
  if (entry->library < 0) return PM_NO_MEMORY;
  int status = prepare_cuts(plan, f, entry->execution[0], entry->cut[0], error);
  return status == PM_OK ? prepare_cuts(plan, f, entry->execution[1], entry->cut[1], error) : status;
}

int pm_plan_add_framework(pm_plan *plan, const pm_framework_profile *profile, pm_error *error)
{
  pm__plan_framework entry;
  if (plan == NULL) {
    pm__fail(error, PM_BAD_ARGUMENT, "a framework needs a plan");
    return -1;
  }
  if (pm_framework_check(profile, error) != PM_OK) return -1;
  pm__plan_framework *frameworks = (pm__plan_framework *)pm__grow(plan->frameworks, plan->framework_count,
                                                                  &plan->framework_capacity, sizeof *frameworks);
  if (frameworks == NULL) {
    pm__no_memory(error);
    return -1;
  }
  plan->frameworks = frameworks;
  entry.profile = *profile;
  complete(&entry.profile.framework);
  if (prepare(plan, &entry, error) != PM_OK) return -1;
  frameworks[plan->framework_count] = entry;
  return (int)plan->framework_count++;
}

void pm__plan_set_framework(pm_plan *plan, int index, const pm_framework_profile *profile)
{
  plan->frameworks[index].profile = *profile;
  complete(&plan->frameworks[index].profile.framework);
}
