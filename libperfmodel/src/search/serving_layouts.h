/* Layouts of a run of serving: the degrees that were not given, varied. */
#ifndef PM_SEARCH_SERVING_LAYOUTS_H
#define PM_SEARCH_SERVING_LAYOUTS_H

#include <stdbool.h>
#include "perfmodel/serving_goal.h"

/* Called for each layout of one replica, or of one pair of pools. */
typedef void pm__service_visit(void *context, const pm_serving_run *run);

typedef struct pm__service_layouts {
  const pm_serving_goal *goal;
  const pm_given *given;
  int node_gpus;
  bool experts;
} pm__service_layouts;

void pm__service_layouts_walk(const pm__service_layouts *of, const pm_serving_run *run, pm__service_visit *visit,
                              void *context);

/* Whether a field of a run was given. */
bool pm__service_is_given(const pm_given *given, const char *field);

#endif
