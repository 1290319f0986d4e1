/* Runs take FP32 where nobody names a precision, as their records do; of networks of words people mean 16 bits, and are told. */
#include <math.h>
#include "options.h"

int32_t narrow_precision(const cli_request *request, const pm_network *network, const pm_system *system, int32_t precision)
{
  pm_network_totals totals;
  const pm_gpu *gpu = pm_system_get_gpu(system);
  bool named = field_given(request, "precision") != NULL || precision != PM_PRECISION_FP32;
  bool words = pm_network_get_totals(network, &totals, NULL) == PM_OK && !isnan(totals.tokens);
  if (named || !words) return PM_PRECISION_FP32;
  return !isnan(gpu->peak_bf16_tensor) ? PM_PRECISION_BF16 : !isnan(gpu->peak_fp16_tensor) ? PM_PRECISION_FP16 : PM_PRECISION_FP32;
}

const char *narrow_name(int32_t precision)
{
  return precision == PM_PRECISION_BF16 ? "bf16" : "fp16";
}

const char *format_narrow(char *text, size_t size, int32_t precision, double tokens)
{
  char rate[64];
  text[0] = '\0';
  if (precision != PM_PRECISION_FP32 && !isnan(tokens))
    snprintf(text, size, " (%s: %s tokens/s)", narrow_name(precision), pm_quantity_format(rate, sizeof rate, tokens, "1"));
  return text;
}
