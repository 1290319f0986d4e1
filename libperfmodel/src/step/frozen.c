/*
** Frozen weights beside adapters: what they take, and what it takes to compute with them.
**
**     bytes      matrices of the layers that stages divide in the format of base_weights, all else as the precision
**     unpacking  a format that the products do not read is unpacked at each use, forward, backward and where layers are
**                computed again: one kernel reads it and writes what products read. FP8 weights of FP8 products are
**                read as they are forward, and transposed by such a kernel backward
**
** Weights of GPTQ are unpacked by operations of PyTorch, each a kernel (AutoGPTQ, qlinear_cuda_old.py): the shift of
** 32-bit words, their cast to 8 bits, the mask, the zero and the scale, 1/2 + 4, 4 + 1, 1 + 1, 1 + 1 and 1 + 2 bytes a
** weight, and as many small ones for the zeros. The result is kept for the backward pass, unless the layer is computed
** again.
**
** Bits: 4 and 32 / 64 for nf4, whose scales take 8 / 64 + 32 / (64 x 256) with double quantization (Dettmers et al.,
** arXiv:2305.14314); 4 and (16 + 4) / 128 for int4 (Frantar et al., arXiv:2210.17323); one scale for a row is left out.
*/
#include "kernel/models.h"
#include "step/step.h"

/* `passes`: bytes a weight that unpacking moves between reading it and writing the result. */
typedef struct packing {
  double bits, passes, kernels;
  bool kept;
} packing;

static const packing packings[PM_BASE_WEIGHTS_COUNT] = {
  [PM_BASE_WEIGHTS_FP8] = {8, 0, 1, false},
  [PM_BASE_WEIGHTS_INT8] = {8, 0, 1, false},
  [PM_BASE_WEIGHTS_INT4] = {4 + 20.0 / 128, 14, 10, true},
  [PM_BASE_WEIGHTS_NF4] = {4 + 32.0 / 64, 0, 1, false},
  [PM_BASE_WEIGHTS_NF4_DOUBLE] = {4 + 8.0 / 64 + 32.0 / (64 * 256), 0, 2, false}};

/* Copies of FP8 and FP4 weights: as they are, and transposed (Transformer Engine). */
enum { NARROW_COPIES = 2 };

double pm__step_linear_weight(const pm__step *p, double wide)
{
  double copies = NARROW_COPIES * pm_precision_get_bytes(p->s.run->precision);
  return copies + (p->s.run->primary_weights ? 0 : wide);
}

/* The format of frozen matrices beside adapters; without them it has no effect. */
static int format_of(const pm__step *p)
{
  return p->s.run->lora_rank > 0 ? p->s.run->base_weights : PM_BASE_WEIGHTS_PRECISION;
}

/* Bytes of a frozen number of a product in a piece. */
static double matrix_bytes(const pm__step *p, int kind)
{
  bool packed = format_of(p) != PM_BASE_WEIGHTS_PRECISION;
  if (!pm__step_is_layer(p, kind)) return p->s.device->bytes;
  if (packed) return packings[p->s.run->base_weights].bits / 8;
  return p->s.linear != NULL ? pm__step_linear_weight(p, p->s.device->bytes) : p->s.device->bytes;
}

pm__step_frozen pm__step_frozen_piece(const pm__step *p, int kind, bool owner)
{
  const pm__plan_frozen *f = &pm__step_piece(p, kind)->frozen;
  double matrix = matrix_bytes(p, kind), wide = p->s.device->bytes;
  double experts = f->experts * matrix;
  pm__step_frozen out = {f->matrices * matrix + (f->others + (owner ? 0 : f->tied)) * wide, experts};
  return p->at.whole ? (pm__step_frozen){out.shared + experts, 0} : out;
}

/* Unpacked matrices of one GPU that wait for the backward pass. */
static double unpacked_bytes(const pm__step *p, int kind)
{
  const pm__plan_frozen *f = &pm__step_piece(p, kind)->frozen;
  bool again = pm__step_recomputes(p, kind) && pm_recomputation_get(p->at.recompute)->layers;
  bool kept = packings[format_of(p)].kept && pm__step_is_layer(p, kind) && !again;
  return kept ? f->used[PM__DGRAD] * p->s.device->bytes : 0;
}

double pm__step_frozen_bytes(const pm__step *p, const pm__step_stage *stage, bool owner)
{
  double shared = p->at.zero >= 3 ? p->at.shards : 1, expert = p->at.zero >= 3 ? p->at.expert_replicas : 1, sum = 0;
  if (!pm__step_freezes(p)) return 0;
  for (int k = 0; k < p->kinds; k++) {
    pm__step_frozen each = pm__step_frozen_piece(p, k, owner);
    sum += stage->count[k] * (each.shared / shared + each.experts / expert + unpacked_bytes(p, k));
  }
  return sum;
}

double pm__step_frozen_passing(const pm__step *p, const pm__step_stage *stage)
{
  double most = 0;
  for (int k = 0; k < p->kinds; k++)
    if (stage->count[k] > 0) most = pm__most(most, pm__step_piece(p, k)->frozen.passing);
  return most * p->s.device->bytes;
}

double pm__step_unpacking(const pm__step *p, int kind, int pass)
{
  const pm__plan_frozen *f = &pm__step_piece(p, kind)->frozen;
  int format = p->s.run->base_weights;
  const packing *how = &packings[format];
  double stored = how->bits / 8, read = p->s.linear != NULL ? p->s.linear->bytes : p->s.device->bytes;
  bool as_it_is = format == PM_BASE_WEIGHTS_FP8 && stored == read && pass == PM__FORWARD;
  if (format == PM_BASE_WEIGHTS_PRECISION || as_it_is || !pm__step_is_layer(p, kind)) return 0;
  if (how->kept && pass != PM__FORWARD) return 0;
  return f->used[pass] * (stored + how->passes + read) * p->s.device->pass_byte * p->s.device->power.slow +
         f->uses[pass] * how->kernels * p->s.device->launch;
}

int pm__step_frozen_check(const pm__step *p, pm_error *error)
{
  int format = p->s.run->base_weights;
  bool narrow = p->s.linear != NULL && format != PM_BASE_WEIGHTS_PRECISION;
  if (p->s.run->lora_rank == 0 || !narrow || (format == PM_BASE_WEIGHTS_FP8 && p->s.linear->bytes == 1)) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_MODELLED,
                  "matrix multiplications in %s with base_weights %s are not modelled: use --precision bf16, or "
                  "--base-weights precision", pm__precision_name(p->s.run->precision),
                  pm_record_find_field(pm_record_type_find("run"), "base_weights")->choices[format].name);
}
