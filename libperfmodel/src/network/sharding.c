/* What rules of kinds have in common. */
#include "network/sharding.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "network/kind.h"

/* "1, 2, 3, 4, 6, 8, ...": what divides a number. */
static void list_divisors(double number, char *text, size_t size)
{
  size_t used = 0;
  int listed = 0;
  text[0] = '\0';
  for (double i = 1; i <= number && i < 1024 && used < size; i++) {
    if (fmod(number, i) != 0) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%.0f", listed > 0 ? ", " : "", i);
    if (++listed < 12 || used >= size) continue;
    snprintf(text + used, size - used, ", ...");
    break;
  }
}

int pm__sharding_check(const pm__layer *layer, double count, const char *what, int gpus, pm_error *error)
{
  char divisors[80];
  if (fmod(count, gpus) == 0) return PM_OK;
  list_divisors(count, divisors, sizeof divisors);
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%s\": %.0f %s over %d GPUs; %s divide them",
                  layer->kind != NULL ? layer->kind->name : "input", layer->name, count, what, gpus, divisors);
}

pm__sharding_demand pm__sharding_units(pm__sharding_demand demand, double units)
{
  if (demand.units == 0 || units < demand.units) demand.units = units;
  return demand;
}

pm__sharding_exchange *pm__sharding_add(pm__sharding_part *part, pm__pass pass, pm__sharding_collective collective,
                                        pm__sharding_axis axis, double elements)
{
  int last = PM__SHARDING_EXCHANGES - 1;
  pm__sharding_exchange *exchange = &part->exchange[part->exchanges < last ? part->exchanges++ : last];
  *exchange = (pm__sharding_exchange){.pass = pass, .collective = collective, .axis = axis, .elements = elements,
    .repeats = 1, .recomputed = pass == PM__FORWARD};
  return exchange;
}

double pm__sharding_rows(const pm__sharding_part *part)
{
  return pm__shape_elements(&part->inputs[0]) / (double)part->inputs[0].size[part->inputs[0].rank - 1];
}

bool pm__sharding_takes_but(pm__sharding_part *part, int axis)
{
  part->out = part->in[0];
  return part->in[0].how == PM__SHARD_TOKENS ? axis != 0 : part->in[0].axis != axis;
}
