/* Regret and rank correlation of choosing plans by the lower end of their interval. */
#include "validation/regret.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_group(const void *a, const void *b)
{
  return strcmp(((const pm__lab_plan *)a)->group, ((const pm__lab_plan *)b)->group);
}

static int by_plan(const void *a, const void *b)
{
  int order = by_group(a, b);
  return order != 0 ? order : strcmp(((const pm__lab_plan *)a)->plan, ((const pm__lab_plan *)b)->plan);
}

/* Sorted plans, each once, with the mean of its measured rates. Returns their number. */
static size_t merge(pm__lab_plan *plans, size_t count)
{
  size_t merged = 0;
  for (size_t i = 0, alike; i < count; i += alike) {
    double sum = plans[i].measured;
    for (alike = 1; i + alike < count && by_plan(&plans[i], &plans[i + alike]) == 0; alike++)
      sum += plans[i + alike].measured;
    plans[merged] = plans[i];
    plans[merged++].measured = sum / (double)alike;
  }
  return merged;
}

/* An unknown interval ranks last. */
static double bound_of(const pm__lab_plan *plan)
{
  return isnan(plan->bound) ? 0 : plan->bound;
}

static double measured_of(const pm__lab_plan *plan)
{
  return plan->measured;
}

/* Place among the plans, from 1; those that are alike share the mean of theirs. */
static double rank_of(const pm__lab_plan *plans, size_t count, size_t own, double (*value)(const pm__lab_plan *))
{
  double rank = 0.5;
  for (size_t i = 0; i < count; i++) {
    double other = value(&plans[i]), mine = value(&plans[own]);
    rank += other < mine ? 1 : other == mine ? 0.5 : 0;
  }
  return rank;
}

static double spearman(const pm__lab_plan *plans, size_t count)
{
  double mean = ((double)count + 1) / 2, both = 0, bounds = 0, rates = 0;
  for (size_t i = 0; i < count; i++) {
    double a = rank_of(plans, count, i, bound_of) - mean, b = rank_of(plans, count, i, measured_of) - mean;
    both += a * b;
    bounds += a * a;
    rates += b * b;
  }
  return bounds > 0 && rates > 0 ? both / sqrt(bounds * rates) : (double)NAN;
}

/* The mean measured rate of the plans that rank first. */
static double picked_of(const pm__lab_plan *plans, size_t count)
{
  double bound = -1, sum = 0;
  int alike = 0;
  for (size_t i = 0; i < count; i++) bound = bound_of(&plans[i]) > bound ? bound_of(&plans[i]) : bound;
  for (size_t i = 0; i < count; i++) {
    if (bound_of(&plans[i]) != bound) continue;
    sum += plans[i].measured;
    alike++;
  }
  return sum / alike;
}

static pm__lab_regret regret_of(const pm__lab_plan *plans, size_t count)
{
  double best = 0;
  for (size_t i = 0; i < count; i++) best = plans[i].measured > best ? plans[i].measured : best;
  return (pm__lab_regret){plans[0].group, (int)count, best / picked_of(plans, count) - 1, spearman(plans, count)};
}

size_t pm__lab_regrets_of(pm__lab_plan *plans, size_t count, pm__lab_regret *regrets)
{
  size_t found = 0;
  qsort(plans, count, sizeof *plans, by_plan);
  count = merge(plans, count);
  for (size_t i = 0, alike; i < count; i += alike) {
    for (alike = 1; i + alike < count && by_group(&plans[i], &plans[i + alike]) == 0;) alike++;
    if (alike > 1 && plans[i].group[0] != '\0') regrets[found++] = regret_of(&plans[i], alike);
  }
  return found;
}

void pm__lab_regrets_say(const pm__lab_regret *regrets, size_t count, const char *kind, pm__string *notes)
{
  double regret = 0, rho = 0;
  int groups = 0, ranked = 0;
  for (size_t i = 0; i < count; i++) {
    if (strncmp(regrets[i].group, kind, strlen(kind)) != 0) continue;
    groups++;
    regret += regrets[i].regret;
    ranked += !isnan(regrets[i].rho);
    rho += isnan(regrets[i].rho) ? 0 : regrets[i].rho;
  }
  if (groups == 0) return;
  pm__string_format(notes, "choosing among measured plans: mean regret %.1f %%, mean rank correlation %.2f over %d %s "
                           "group%s", 100 * regret / groups, ranked > 0 ? rho / ranked : (double)NAN, groups, kind,
                    groups == 1 ? "" : "s");
  pm__string_add(notes, "\n");
}
