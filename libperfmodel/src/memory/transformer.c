/*
** Activations of a transformer from its sizes alone (Korthikanti et al., arXiv:2205.05198, generalised to
** what layers of other frameworks keep):
**
**     layer = s b h (whole + split / t) + a s^2 b scores / t
**
** With sequence parallelism `whole` is divided by t too. The first stage of a pipeline holds as many micro-batches as
** there are stages, so the activations of all L layers, and (1 + (p - 1) / (p v)) times that with v interleaved chunks.
** Selective recomputation drops the scores; full keeps the tensors between layers, and one layer while it is computed.
*/
#include <math.h>
#include "memory/plan.h"
#include "memory/tensors.h"

static double layer_bytes(const pm_transformer *m, const pm_transformer_activations *kept)
{
  double t = m->tensor_parallel, whole = pm__given(kept->whole, 0), split = pm__given(kept->split, 0);
  double rows = m->tokens * m->batch * m->hidden * (m->sequence_parallel ? (whole + split) / t : whole + split / t);
  double scores = m->heads * m->tokens * m->tokens * m->batch * pm__given(kept->scores, 0) / t;
  const pm_recomputation *r = pm_recomputation_get(m->recompute);
  return r->scores && !r->layers ? rows : rows + scores;
}

double pm__transformer_get_saved(const pm_transformer *m, const pm_transformer_activations *kept)
{
  const pm_recomputation *r = m != NULL ? pm_recomputation_get(m->recompute) : NULL;
  if (r == NULL || kept == NULL || m->layers < 1 || m->heads < 1 || m->tensor_parallel < 1 || r->operations ||
      m->pipeline_stages < 1 || m->interleaved < 1 || !(m->hidden > 0) || !(m->tokens > 0) || !(m->batch > 0))
    return NAN;
  double p = m->pipeline_stages, v = m->interleaved, layer = layer_bytes(m, kept);
  double in_flight = m->interleaved > 1 ? m->layers * (1 + (p - 1) / (p * v)) : m->layers;
  if (!r->layers) return in_flight * layer;
  double between = m->tokens * m->batch * m->hidden * pm__given(kept->boundary, 0);
  return in_flight * between / (m->sequence_parallel ? m->tensor_parallel : 1) + layer;
}
