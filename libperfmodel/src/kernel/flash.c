/* Fused attention: blocks of 128 queries of one head, in waves over the SMs; the scores never leave the SM. */
#include "kernel/models.h"

pm__kernel_cost pm__flash_cost(const pm__device *d, const pm__flash *f, pm__pass pass, double batch, double flop, double bytes)
{
  double blocks = batch * f->heads * pm__ceil(f->tokens / 128), x = blocks * d->gemm.inverse_sms;
  double full = pm__most(1, x + d->k.wave * (pm__ceil(x - 1e-9) - x)) / x;
  double efficiency = pass == PM__FORWARD ? d->k.flash_forward : d->k.flash_backward;
  return pm__limited(d, flop * d->flash / efficiency * full, bytes * d->per_byte, flop, PM_KERNEL_ALGORITHM_FLASH);
}
