/* The power of boards while requests are answered. */
#ifndef PM_SERVING_ENERGY_H
#define PM_SERVING_ENERGY_H

#include "serving/service.h"

/* Of an answer that has all of its rates; `prefill`: of workers that only read prompts, else NULL. Returns the part of
** the GPUs' time that reads prompts, of that in which they work. */
double pm__serving_set_energy(const pm_plan *plan, const pm__serving_load *decode, const pm__serving_load *prefill,
                              const pm__serving_service *service, pm_serving *out);

#endif
