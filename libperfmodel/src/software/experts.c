/*
** What software adds to kernels of experts: time, accesses of routed rows, and the rate of their products. Where nobody
** timed those whose blocks have scales, these are slower than others by as much as products of one matrix are.
*/
#include "software/experts.h"

static double known(double value, double otherwise)
{
  return value > 0 ? value : otherwise;
}

static pm__software_experts own_of(const pm_kernel_harness *h, pm__software_experts_kind kind)
{
  switch (kind) {
    case PM__EXPERTS_BLOCK: return (pm__software_experts){h->block_experts, h->block_routing, h->block_experts_rate};
    case PM__EXPERTS_MX: return (pm__software_experts){h->mx_experts, h->mx_routing, h->mx_experts_rate};
    case PM__EXPERTS_W4: return (pm__software_experts){h->w4_experts, h->w4_routing, h->w4_experts_rate};
    case PM__EXPERTS_FP4: return (pm__software_experts){h->fp4_experts, h->fp4_routing, h->fp4_experts_rate};
    case PM__EXPERTS_GENERAL: break;
  }
  return (pm__software_experts){h->experts, h->routing, h->experts_rate};
}

pm__software_experts pm__software_experts_of(const pm_kernel_harness *host, pm__software_experts_kind kind)
{
  pm__software_experts own = own_of(host, kind);
  double slower = kind == PM__EXPERTS_BLOCK ? known(host->block_rate / host->quantized_rate, 1) : 1;
  return (pm__software_experts){known(own.time, host->experts), known(own.routing, host->routing),
                       known(own.rate, slower * host->experts_rate)};
}
