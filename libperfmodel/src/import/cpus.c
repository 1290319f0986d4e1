/*
** What joins the CPUs of a host. Descriptions name the CPU, if anything, by the numbers that it has of itself (CPUID);
** which links such CPUs have is in their makers' data sheets.
*/
#include <string.h>
#include "catalog/standard_graph.h"
#include "import/sketch.h"

/* Links between two sockets, by maker and model. */
static const struct {
  const char *vendor;
  int family, first, last; /* model */
  const char *link;
  int count;
} known[] = {
  {"GenuineIntel", 6, 63, 79, "qpi-broadwell", 2},   /* Haswell, Broadwell */
  {"GenuineIntel", 6, 85, 85, "upi-skylake", 3},     /* Skylake, Cascade Lake */
  {"GenuineIntel", 6, 106, 108, "upi-icelake", 3},
  {"GenuineIntel", 6, 143, 143, "upi-sapphire", 4},
  {"GenuineIntel", 6, 173, 207, "upi-sapphire", 4}, /* Granite and Emerald Rapids, whose links are faster */
  {"AuthenticAMD", 23, 1, 127, "infinity-fabric-epyc", 3}, /* Zen to Zen 2 */
  {"AuthenticAMD", 25, 0, 255, "infinity-fabric-epyc", 3}, /* Zen 3, Zen 4 */
  {"AuthenticAMD", 26, 0, 255, "infinity-fabric-epyc", 3}, /* Zen 5 */
  {"IBM", -1, -1, -1, "xbus-power9", 1}};

typedef struct between {
  const char *link, *why;
  int count;
} between;

/* NCCL adds AMD's extended family to the base shifted by four bits: 175 is family 25. */
static int family_of(const pm__sketch_cpu *cpu)
{
  bool shifted = strcmp(cpu->vendor, "AuthenticAMD") == 0 && cpu->family >= 128;
  return shifted ? 15 + (cpu->family - 15) / 16 : cpu->family;
}

/* Where the CPU is not named, that of usual servers for GPUs of this PCIe generation. */
static between find_links(const pm__sketch *w, const pm__sketch_cpu *cpu)
{
  between b = {.why = "usual beside such GPUs; the source does not name the CPU"};
  int family = family_of(cpu);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(known[i].vendor, cpu->vendor) == 0 && known[i].family == family && cpu->model >= known[i].first &&
        cpu->model <= known[i].last)
      return (between){known[i].link, "of this CPU", known[i].count};
  pm__topology_between_sockets(w->host_link, &b.link, &b.count);
  if (cpu->vendor[0] != '\0') b.why = "usual beside such GPUs; the links of this CPU are not known";
  return b;
}

static int first_cpu(const pm__sketch *w)
{
  for (int i = 0; i < w->end_count; i++)
    if (w->ends[i].kind == PM_VERTEX_CPU && w->ends[i].host == w->host) return i;
  return -1;
}

int pm__sketch_join_cpus(pm__sketch *w, const pm__sketch_cpu *model, pm_error *error)
{
  int first = first_cpu(w), last = -1, count = 1, status = PM_OK;
  between b = find_links(w, model);
  if (strcmp(model->vendor, "Grace") == 0) return PM_OK; /* each has its own memory and NICs, and joins its GPUs */
  for (int i = first + 1; first >= 0 && i < w->end_count && status == PM_OK; i++) {
    if (w->ends[i].kind != PM_VERTEX_CPU || w->ends[i].host != w->host) continue;
    status = pm__sketch_link(w, first, i, b.link, b.count, error);
    last = i;
    count++;
  }
  if (count == 2)
    pm__sketch_say(w, "assumed: %s and %s are connected by %d x %s, %s", w->ends[first].name, w->ends[last].name,
                   b.count,
                   b.link, b.why);
  if (count > 2)
    pm__sketch_say(w, "assumed: %s is connected to %d other CPUs, each by %d x %s, %s", w->ends[first].name, count - 1,
                   b.count, b.link, b.why);
  return status;
}
