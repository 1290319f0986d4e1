/*
** The links of a machine that are said in one word: <topology>pcie|nvswitch|pairs|sockets</topology>, or
** "h100-sxm5*8:nvswitch". They are written as the <graph> that a user would write, and read as one.
*/
#include <stdio.h>
#include <string.h>
#include "catalog/standard_graph.h"

enum { SOCKETS_MOST = 8, GPUS_OF_ONE_CPU = 4 };

static const char *const words[] = {"pcie", "nvswitch", "pairs", "sockets"};

pm__catalog_topology pm__topology_find(const char *word)
{
  for (int i = 0; i < PM__TOPOLOGIES; i++)
    if (pm__same_name(words[i], word)) return (pm__catalog_topology)i;
  return PM__TOPOLOGIES;
}

const char *pm__topology_word(pm__catalog_topology topology)
{
  return words[topology];
}

/* ---- Which a GPU has ---- */

static bool ends_at_switches(const pm_gpu *gpu)
{
  return strstr(gpu->nvlink, "-nvswitch") != NULL;
}

/* The type of its links to a switch; false if there is no switch of that generation. */
static bool switch_link(const pm_catalog *catalog, const pm_gpu *gpu, char *link, size_t size)
{
  if (gpu->nvlinks <= 0 || gpu->nvlink[0] == '\0') return false;
  snprintf(link, size, "%s%s", gpu->nvlink, ends_at_switches(gpu) ? "" : "-nvswitch");
  return pm__catalog_has(catalog, PM__LINKS, link);
}

/* Superchips reach their CPU by another link. */
static bool has_pcie(const pm_catalog *catalog, const pm_gpu *gpu)
{
  const pm__entry *entry = NULL;
  if (gpu->pcie[0] == '\0' || pm__catalog_seek(catalog, PM__LINKS, gpu->pcie, &entry, NULL) != PM_OK) return false;
  return entry == NULL || ((const pm_link *)entry->record)->kind == PM_LINK_PCIE;
}

bool pm__topology_possible(const pm_catalog *catalog, const pm_gpu *gpu, pm__catalog_topology topology)
{
  char link[2 * PM_TEXT_MAX];
  switch (topology) {
  case PM__TOPOLOGY_PCIE:
  case PM__TOPOLOGY_SOCKETS: return has_pcie(catalog, gpu);
  case PM__TOPOLOGY_NVSWITCH: return switch_link(catalog, gpu, link, sizeof link);
  case PM__TOPOLOGY_PAIRS: return gpu->nvlinks > 0 && gpu->nvlink[0] != '\0' && !ends_at_switches(gpu);
  default: return false;
  }
}

/* Modules of CDNA have xGMI links, which no word describes. */
static bool is_module_of_amd(const pm_gpu *gpu)
{
  return strncmp(gpu->architecture, "cdna", 4) == 0;
}

pm__catalog_topology pm__topology_usual(const pm_gpu *gpu)
{
  if (ends_at_switches(gpu)) return PM__TOPOLOGY_NVSWITCH;
  bool card = gpu->nvlink[0] == '\0' || strstr(gpu->nvlink, "-bridge") != NULL;
  return card && !is_module_of_amd(gpu) ? PM__TOPOLOGY_PCIE : PM__TOPOLOGIES;
}

void pm__topology_choices(const pm_catalog *catalog, const pm_gpu *gpu, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < PM__TOPOLOGIES && used < size; i++)
    if (gpu == NULL || pm__topology_possible(catalog, gpu, (pm__catalog_topology)i))
      used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", words[i]);
}

static int refuse(const pm_catalog *catalog, const pm_gpu *gpu, pm__catalog_topology topology, pm_error *error)
{
  char choices[PM_TEXT_MAX];
  static const char *const reasons[] = {
    "has no host link (pcie)", "has no NVLinks that end at a switch", "takes no NVLink bridge",
      "has no host link (pcie)"};
  pm__topology_choices(catalog, gpu, choices, sizeof choices);
  return pm__fail(error, PM_STATUS_BAD_VALUE, "gpu \"%s\" %s; its topologies are: %s", gpu->id, reasons[topology],
                  choices);
}

/* GeForce cards have no peer access over PCIe: their driver refuses it. */
bool pm__topology_staged(const pm_gpu *gpu, pm__catalog_topology topology)
{
  return topology == PM__TOPOLOGY_PCIE && strstr(gpu->name, "GeForce") != NULL;
}

/* ---- The graph ---- */

void pm__topology_between_sockets(const char *host_link, const char **link, int *count)
{
  bool fifth = strncmp(host_link, "pcie5", 5) == 0, fourth = strncmp(host_link, "pcie4", 5) == 0;
  *link = fifth ? "upi-sapphire" : fourth ? "infinity-fabric-epyc" : "upi-skylake";
  *count = fifth ? 4 : 3;
}

static void add_cpus(pm__string *xml, const pm_gpu *gpu, int sockets)
{
  const char *link;
  int count;
  pm__topology_between_sockets(gpu->pcie, &link, &count);
  for (int i = 0; i < sockets; i++) pm__string_format(xml, "<vertex kind=\"cpu\" names=\"cpu%d\"/>\n", i);
  for (int i = 0; i < sockets; i++)
    for (int j = i + 1; j < sockets; j++)
      pm__string_format(xml, "<link type=\"%s\" from=\"cpu%d\" to=\"cpu%d*%d\"/>\n", link, i, j, count);
}

/* One CPU for up to four GPUs, else two, unless the machine says how many; the GPUs are distributed in their order. */
static int count_sockets(const pm_machine *machine)
{
  int sockets = machine->cpu_sockets > 0 ? machine->cpu_sockets : machine->gpus > GPUS_OF_ONE_CPU ? 2 : 1;
  return sockets < machine->gpus ? sockets : machine->gpus;
}

static void add_host(pm__string *xml, const pm_machine *machine, const pm_gpu *gpu, const char *link, int sockets)
{
  add_cpus(xml, gpu, sockets);
  for (int i = 0; i < machine->gpus; i++)
    pm__string_format(xml, "<link type=\"%s\" from=\"cpu%d\" to=\"gpu%d\"/>\n", link,
                      (int)((long)i * sockets / machine->gpus), i);
}

/* One vertex stands for all switches. */
static void add_switch(pm__string *xml, const pm_catalog *catalog, const pm_machine *machine, const pm_gpu *gpu)
{
  char link[2 * PM_TEXT_MAX];
  switch_link(catalog, gpu, link, sizeof link);
  pm__string_add(xml, "<vertex kind=\"nvswitch\" names=\"nvs0\"/>\n");
  for (int i = 0; i < machine->gpus; i++)
    pm__string_format(xml, "<link type=\"%s\" from=\"nvs0\" to=\"gpu%d*%d\"/>\n", link, i, gpu->nvlinks);
}

static void add_pairs(pm__string *xml, const pm_machine *machine, const pm_gpu *gpu)
{
  for (int i = 0; i + 1 < machine->gpus; i += 2)
    pm__string_format(xml, "<link type=\"%s\" from=\"gpu%d\" to=\"gpu%d*%d\"/>\n", gpu->nvlink, i, i + 1, gpu->nvlinks);
}

int pm__topology_graph(const pm_catalog *catalog, const pm_machine *machine, const pm_gpu *gpu,
                       pm__catalog_topology topology,
                       pm__string *xml, pm_error *error)
{
  if (!pm__topology_possible(catalog, gpu, topology)) return refuse(catalog, gpu, topology, error);
  if (machine->cpu_sockets > SOCKETS_MOST)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%d CPU sockets need a <graph>; a topology in one word has up to %d",
                    machine->cpu_sockets, SOCKETS_MOST);
  pm__string_add(xml, "<graph>\n");
  const char *host = topology == PM__TOPOLOGY_SOCKETS ? "host-sockets" : gpu->pcie;
  if (gpu->pcie[0] != '\0') add_host(xml, machine, gpu, host, count_sockets(machine));
  if (topology == PM__TOPOLOGY_NVSWITCH) add_switch(xml, catalog, machine, gpu);
  if (topology == PM__TOPOLOGY_PAIRS) add_pairs(xml, machine, gpu);
  pm__string_add(xml, "</graph>\n");
  return xml->failed ? pm__no_memory(error) : PM_OK;
}
