/* Runs take FP32 where nobody names a precision, as their records do; of networks of words people mean 16 bits, and are told. */
#include <math.h>
#include "options.h"

int32_t half_precision(const cli_request *request, const pm_network *network, const pm_system *system, int32_t precision)
{
  pm_network_totals totals;
  bool named = field_given(request, "precision") != NULL || precision != PM_PRECISION_FP32;
  bool words = pm_network_get_totals(network, &totals, NULL) == PM_OK && !isnan(totals.tokens);
  return named || !words ? PM_PRECISION_FP32 : pm_gpu_get_half_precision(pm_system_get_gpu(system));
}

static const char *name_of(int32_t precision)
{
  return pm_record_find_field(pm_record_type_find("run"), "precision")->choices[precision].name;
}

const char *format_half_rate(char *text, size_t size, int32_t precision, double tokens)
{
  char rate[64];
  text[0] = '\0';
  if (precision != PM_PRECISION_FP32 && !isnan(tokens))
    snprintf(text, size, " (%s: %s tokens/s)", name_of(precision), pm_quantity_format(rate, sizeof rate, tokens, "1"));
  return text;
}

int fail_in_fp32(const pm_error *error, int32_t precision, double memory)
{
  char need[64], hint[128] = "";
  if (!isnan(memory))
    snprintf(hint, sizeof hint, "; in %s it needs %s", name_of(precision), pm_quantity_format(need, sizeof need, memory, "B"));
  return fail_run(error, hint);
}
