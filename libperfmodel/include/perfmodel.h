/*
** perfmodel: how fast a deep-learning network runs on a GPU machine, in closed form, and why.
**
** This is the only header to include; the ones under perfmodel/ may be rearranged between releases.
**
**     perfmodel/error.h       status codes, the error a caller owns
**     perfmodel/units.h       "900 GB/s" <-> 9e11, numbers that ignore the locale
**     perfmodel/record.h      records and their field tables
**     perfmodel/hardware.h    GPUs, links, systems and their link graph
**     perfmodel/network.h     layers, shapes, exact counts
**     perfmodel/kernel.h      time of one kernel, and of a network layer by layer
**     perfmodel/collective.h  groups of GPUs, their rings, time of any collective, load on links, copies
**     perfmodel/memory.h      memory of one GPU, whether it fits, the largest batch
**     perfmodel/input.h       storage, page cache, decoding and copies to the GPUs
**     perfmodel/framework.h   framework overhead on kernels and collectives
**     perfmodel/engine.h      kernels as software runs them, serving engines
**     perfmodel/parallel.h    parallelism of large networks
**     perfmodel/finetune.h    fine-tuning: adapters, formats of frozen weights
**     perfmodel/task.h        training, inference and serving as tasks; sweeps as tables
**     perfmodel/predict.h     runs in, predictions out; sweeps
**     perfmodel/inference.h   latency and throughput of the forward pass
**     perfmodel/serving.h     serving language models: latencies, rates, capacity
**     perfmodel/size.h        from a rate or a deadline to the machines
**     perfmodel/sensitivity.h dependence of the step time on the hardware, upgrades
**     perfmodel/catalog.h     names -> records, networks and systems; XML files
**     perfmodel/table.h       results as columns; CSV, JSON and text
**     perfmodel/counts.h      a network's counts by layer, by kind of layer, as a tree
**     perfmodel/arrow.h       tables as Arrow data
**     perfmodel/evidence.h    records about measurements: readings of tables, fitted constants
**
** Measurements beside predictions, and constants from measurements: perfmodel-lab.h, of a library of its own.
**
** Conventions that hold everywhere:
**   - SI doubles inside: seconds, bytes, FLOP, FLOP/s, bytes/s, watts. Unlimited is INFINITY, unknown is NAN.
**   - 1 MAC (multiply-accumulate) = 2 FLOP; both are reported, by those names.
**   - A function returns a value, or an int status (PM_OK is 0), or an owned object or NULL.
**   - `pm_error *error` is always last and may be NULL; the first error wins.
**   - The library keeps no state of its own: handles may be read from several threads at once.
*/
#ifndef PERFMODEL_H
#define PERFMODEL_H

#include "perfmodel/error.h"
#include "perfmodel/units.h"
#include "perfmodel/record.h"
#include "perfmodel/hardware.h"
#include "perfmodel/energy.h"
#include "perfmodel/network.h"
#include "perfmodel/kernel.h"
#include "perfmodel/collective.h"
#include "perfmodel/attention.h"
#include "perfmodel/optimizer.h"
#include "perfmodel/memory.h"
#include "perfmodel/input.h"
#include "perfmodel/framework.h"
#include "perfmodel/engine.h"
#include "perfmodel/parallel.h"
#include "perfmodel/finetune.h"
#include "perfmodel/run.h"
#include "perfmodel/task.h"
#include "perfmodel/predict.h"
#include "perfmodel/pipeline.h"
#include "perfmodel/inference.h"
#include "perfmodel/serving.h"
#include "perfmodel/serving_goal.h"
#include "perfmodel/size.h"
#include "perfmodel/search.h"
#include "perfmodel/sensitivity.h"
#include "perfmodel/table.h"
#include "perfmodel/counts.h"
#include "perfmodel/arrow.h"
#include "perfmodel/catalog.h"
#include "perfmodel/settings.h"
#include "perfmodel/model.h"
#include "perfmodel/report.h"
#include "perfmodel/study.h"
#include "perfmodel/evidence.h"

/* The version of the headers. Before 1.0 the interface may change with the minor version, and the library's soname says
** so (libperfmodel.so.0.3). Within one, what is there stays, and records grow at their end only: see record.h. */
#define PM_VERSION_MAJOR 0 /* 1 once the interface keeps */
#define PM_VERSION_MINOR 3 /* with every change of the interface that breaks programs */
#define PM_VERSION_PATCH 0 /* with every other release */
#define PM_VERSION "0.3.0" /* the three as text */

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs, "major.minor.patch"; compare with PM_VERSION, the header's. */
PM_API const char *pm_version_get(void);

#ifdef __cplusplus
}
#endif
#endif
