/*
** Embedding tables that GPUs divide: one kernel reads the rows of all of them and adds up those of a bag, one adds the
** gradients of bags to the rows that were read and updates these at once, so that tables have no gradients of their
** own (TorchRec with FBGEMM, HugeCTR's embedding collection). Numbers of a table have 4 bytes whatever the precision (8
** in FP64), pooled ones are as wide as the run's.
**
**     forward    4 r + 4 i + w b               r numbers read, i indices, b numbers of bags, w bytes each
**     backward   2 (4 + state) r + s i + w b   rows and the optimizer's state are read and written
**     memory     (4 + state) for each parameter
**
** Between nodes pooled vectors go in one exchange of all GPUs, or in two: among the GPUs of a node, then among those at
** the same place of all nodes, with fewer and larger messages (HugeCTR's hierarchical strategy); sums of rows are made
** on the way. The faster counts.
**
** s: indices and places are sorted by four passes, of 8 bits each, that read and write 8 bytes (radix sort). Rows that
** several samples of a batch look up are updated as often.
*/
#include "kernel/models.h"
#include "step/step.h"

enum { INDEX = 4, SORT = 4 * 2 * 8 };

static double number_bytes(const pm__step *p)
{
  return pm__most(4, p->s.device->bytes);
}

static double state_bytes(const pm__step *p)
{
  return p->s.optimizer->embedding_state * number_bytes(p) / 4;
}

double pm__step_table_time(const pm__step *p, int kind, int pass)
{
  const pm__sharding_lookup *l = &pm__step_piece(p, kind)->lookup;
  double bags = l->pooled * p->s.device->bytes, bytes = number_bytes(p) * l->read + INDEX * l->indices + bags;
  if (!(l->read > 0) || pass == PM__DGRAD) return 0;
  if (pass == PM__WGRAD) bytes = 2 * (number_bytes(p) + state_bytes(p)) * l->read + SORT * l->indices + bags;
  return p->s.batch * bytes * p->s.device->pass_byte * p->s.device->power.slow + p->s.launch;
}

double pm__step_table_exchange(const pm__step *p, int collective, double bytes)
{
  const pm__collective_group *node = p->group[PM__GROUP_TABLES_NODE], *across = p->group[PM__GROUP_TABLES_ACROSS];
  double flat = pm__schedule_exchange_on(&p->s, p->group[PM__GROUP_TABLES], collective, bytes);
  if (across->nodes <= 1) return flat;
  double left = collective == PM_COLLECTIVE_ALL_TO_ALL ? bytes : bytes / node->members;
  return pm__least(flat, pm__schedule_exchange_on(&p->s, node, collective, bytes) +
                           pm__schedule_exchange_on(&p->s, across, collective, left));
}

static double parameters_of(const pm__step *p, const pm__step_stage *stage)
{
  double all = 0;
  for (int k = 0; k < p->kinds; k++) all += stage->count[k] * pm__step_piece(p, k)->lookup.parameters;
  return all;
}

double pm__step_table_bytes(const pm__step *p, const pm__step_stage *stage)
{
  return number_bytes(p) * parameters_of(p, stage);
}

double pm__step_table_state(const pm__step *p, const pm__step_stage *stage)
{
  return state_bytes(p) * parameters_of(p, stage);
}
