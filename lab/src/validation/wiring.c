/*
** Tables of collectives name machines as their authors do: "H100 HGX (Nebius, 8x400G IB)", "p5.48xlarge EFA". What
** counts for a collective is the GPU, how those of a node are joined, and what joins nodes; all three are read from the
** text. An entry of the catalogue that is called so is taken before one in a word ("h100-sxm5*8:nvswitch+8x..."):
**
**     1. entries that have the GPU, as many of it, and of several nodes the network, of those the name said most fully;
**     2. the GPU with the links that the words mean, and the type of link that has the fabric and the rate.
**
** Sellers and sites that no entry is called after say nothing of the wiring.
*/
#include "validation/wiring.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"

/* What joins the GPUs of a node. */
typedef enum join { JOIN_UNSAID, JOIN_BUS, JOIN_PAIRS, JOIN_SWITCH, JOIN_MESH } join;

typedef struct wiring {
  pm__words words;
  join joined;
  const char *fabric; /* a word of the ids of links between nodes; NULL: unsaid */
  int ports;          /* 0: unsaid */
  double rate;        /* of one, bit/s */
} wiring;

static bool has_any(const pm__words *words, const char *const *list)
{
  for (size_t i = 0; list[i] != NULL; i++)
    if (pm__words_have(words, list[i])) return true;
  return false;
}

/* ---- What the words mean ---- */

static join read_join(const pm__words *words)
{
  static const char *const pairs[] = {"bridge", "bridges", "pair", "pairs", NULL};
  static const char *const switched[] = {"nvswitch", "hgx", "dgx", "sxm", "sxm4", "sxm5", "sxm6", NULL};
  static const char *const mesh[] = {"xgmi", "mesh", "oam", NULL};
  static const char *const bus[] = {"pcie", "pci", NULL};
  if (has_any(words, pairs)) return JOIN_PAIRS;
  if (has_any(words, switched)) return JOIN_SWITCH;
  if (has_any(words, mesh)) return JOIN_MESH;
  return has_any(words, bus) ? JOIN_BUS : JOIN_UNSAID;
}

/* The first word of a family of fabrics that the text has, as ids of links have it. */
static const char *read_fabric(const pm__words *words)
{
  static const char *const known[][2] = {{"ib", "infiniband"}, {"infiniband", "infiniband"}, {"ndr", "infiniband"},
                                         {"hdr", "infiniband"}, {"hdr200", "infiniband"}, {"edr", "infiniband"},
                                         {"xdr", "infiniband"}, {"fdr", "infiniband"}, {"roce", "roce"},
                                         {"rocev2", "roce"}, {"efa", "efa"}, {"tcpxo", "tcpxo"}, {"tcpx", "tcpx"},
                                         {"slingshot", "slingshot"}, {"opa", "omni"}, {"tcp", "tcp"},
                                         {"ethernet", "ethernet"}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (pm__words_have(words, known[i][0])) return known[i][1];
  return NULL;
}

/* The rate of a port that begins there, "400G" or "HDR200"; 0 if none does. */
static double rate_at(const char *text)
{
  static const struct { const char *word; double rate; } named[] = {{"XDR", 800e9}, {"NDR", 400e9}, {"HDR", 200e9},
                                                                    {"EDR", 100e9}};
  char *end;
  double rate = strtod(text, &end);
  if (end > text && rate >= 10 && rate <= 3200 && (end[strspn(end, " ")] == 'G')) return rate * 1e9;
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
    if (strncmp(text, named[i].word, strlen(named[i].word)) == 0) return named[i].rate;
  return 0;
}

/* "8x400G", "8x2x200 Gb/s", "8x CX-7 400G", "4x HDR": the ports of a node and their rate. */
static void read_ports(const char *text, wiring *w)
{
  for (const char *p = text; *p != '\0' && w->ports == 0; p++) {
    char *end;
    long more, ports = p > text && p[-1] != ' ' && p[-1] != '(' ? 0 : strtol(p, &end, 10);
    if (ports < 1 || ports > 64 || *end != 'x') continue;
    for (char *next; (more = strtol(end + 1, &next, 10)) > 0 && *next == 'x'; end = next) ports *= more;
    for (const char *at = end + 1; *at != '\0' && *at != ',' && *at != ')' && !(w->rate > 0); at++)
      if (at == end + 1 || at[-1] == ' ') w->rate = rate_at(at);
    if (w->rate > 0) w->ports = (int)ports;
  }
}

/* "4xV100" is "4x V100"; a "48xlarge" is a word. */
static void split_counts(const char *text, char *apart, size_t size)
{
  size_t used = 0;
  for (const char *p = text; *p != '\0' && used + 2 < size; p++) {
    apart[used++] = *p;
    bool counts = *p == 'x' && p > text && p[-1] >= '0' && p[-1] <= '9';
    if (counts && p[1] >= 'A' && p[1] <= 'Z') apart[used++] = ' ';
  }
  apart[used] = '\0';
}

static void read_wiring(const char *text, wiring *w)
{
  char apart[PM__WORDS_BYTES];
  memset(w, 0, sizeof *w);
  split_counts(text, apart, sizeof apart);
  pm__words_split(&w->words, apart);
  w->joined = read_join(&w->words);
  w->fabric = read_fabric(&w->words);
  read_ports(text, w);
}

/* ---- The GPU ---- */

/* Words that tell no GPU from another. */
static bool is_common(const char *word)
{
  static const char *const common[] = {"nvidia", "amd", "tesla", "geforce", "quadro", "instinct", "radeon", "gpu",
                                       "of", "the", "one", "its", "two", "gpus", "rtx", "gtx", "grace", "hopper",
                                       "blackwell", "generation", "with", "hbm3", "hbm3e", "hbm2e", "pcie", "nvl",
                                       NULL};
  for (size_t i = 0; common[i] != NULL; i++)
    if (strcmp(word, common[i]) == 0) return true;
  return strncmp(word, "sxm", 3) == 0 || pm__word_is_memory(word);
}

/* Letters of a name that tell the GPU, all of which the text has; 0 if it lacks one. */
static size_t letters_told(const pm__words *name, const pm__words *text)
{
  size_t letters = 0;
  for (size_t i = 0; i < name->count; i++) {
    if (is_common(name->word[i])) continue;
    if (!pm__words_have(text, name->word[i])) return 0;
    letters += strlen(name->word[i]);
  }
  return letters;
}

/* The memory that the text says, "40 GB" or "A100-40", is the GPU's; yes if it says none. The rate of a port looks like
** one: "400 Gb/s". */
static bool has_memory(const pm_gpu *gpu, const wiring *w)
{
  bool said = false;
  for (size_t i = 0; i < w->words.count; i++) {
    char *end;
    const char *word = w->words.word[i];
    double size = strtod(word, &end);
    bool bare = *end == '\0' && (size == 40 || size == 80);
    if ((!pm__word_is_memory(word) && !bare) || size * 1e9 == w->rate) continue;
    if (fabs(gpu->memory / 1e9 / size - 1) <= 0.1) return true;
    said = true;
  }
  return !said;
}

/* GPUs of boards with a switch or links between all are modules; cards are for PCIe, and some take bridges. */
static bool is_module(const pm_gpu *gpu)
{
  return strstr(gpu->nvlink, "-nvswitch") != NULL || strstr(gpu->id, "-sxm") != NULL;
}

static bool has_form(const pm_gpu *gpu, const wiring *w)
{
  if (strstr(gpu->id, "-mig-") != NULL) return false;
  if (w->joined == JOIN_PAIRS) return !is_module(gpu) && gpu->nvlinks > 0;
  if (w->joined == JOIN_BUS) return !is_module(gpu);
  return w->joined != JOIN_SWITCH || is_module(gpu);
}

/* Letters of the name that the text tells best. */
static size_t most_letters(const pm_catalog *catalog, const char *gpu, const wiring *w)
{
  size_t most = 0;
  const char *name;
  for (size_t k = 0; (name = pm_catalog_get_name(catalog, "gpu", gpu, k)) != NULL; k++) {
    pm__words words;
    pm__words_split(&words, name);
    size_t letters = letters_told(&words, &w->words);
    if (letters > most) most = letters;
  }
  return most;
}

/* How well the text tells the GPU; 0 if it is another one. Of a card and a module that are told alike, machines with
** ports for several nodes have the module. */
static size_t how_told(const pm_catalog *catalog, const pm_gpu *gpu, const wiring *w)
{
  if (!has_form(gpu, w) || !has_memory(gpu, w)) return 0;
  size_t letters = 2 * most_letters(catalog, gpu->id, w);
  return letters > 0 && w->ports > 0 && is_module(gpu) ? letters + 1 : letters;
}

/* The GPU that is told best, of equals the first in the catalogue; returns how well, 0 if none is told. */
static size_t find_gpu(const pm_catalog *catalog, const wiring *w, pm_gpu *gpu)
{
  size_t most = 0;
  for (size_t i = 0; i < (size_t)pm_catalog_count(catalog, "gpu"); i++) {
    pm_gpu own;
    const char *id = pm_catalog_get_id(catalog, "gpu", i);
    if (most_letters(catalog, id, w) == 0) continue; /* before its record is copied */
    size_t told = pm_catalog_get_record(catalog, "gpu", id, &own, NULL) == PM_OK ? how_told(catalog, &own, w) : 0;
    if (told <= most) continue;
    most = told;
    *gpu = own;
  }
  return most;
}

/* ---- An entry of the catalogue ---- */

/* Sellers, makers and what every machine is: no name. */
static bool is_seller(const char *word)
{
  static const char *const sellers[] = {"nvidia", "aws", "amazon", "ec2", "azure", "google", "cloud", "gcp", "oracle",
                                        "oci", "node", "nodes", "server", "with", "x", "gpu", "gpus", "of", "8", "4",
                                        NULL};
  for (size_t i = 0; sellers[i] != NULL; i++)
    if (strcmp(word, sellers[i]) == 0) return true;
  return pm__word_is_memory(word);
}

static bool has_fabric(const char *link, const char *fabric)
{
  return strstr(link, fabric) != NULL || (strcmp(fabric, "tcp") == 0 && strstr(link, "ethernet") != NULL);
}

/* Whether its nodes are joined as the text says, as far as it does. */
static bool has_network(const pm_system *system, const wiring *w, int nodes)
{
  double bandwidth = 8 * pm_system_get_network_bandwidth(system);
  if (nodes <= 1) return true;
  if (!(bandwidth > 0)) return false;
  if (w->fabric != NULL && !has_fabric(pm_system_get_network_link(system), w->fabric)) return false;
  return w->ports == 0 || fabs(bandwidth / (w->ports * w->rate) - 1) <= 0.05;
}

typedef struct question {
  const pm_catalog *catalog;
  const wiring *w;
  size_t told; /* how well its GPU is; 0: not */
  int gpus, nodes;
  pm_error *failure; /* of memory that ran out; others only say that this is no such machine */
} question;

typedef struct answer {
  const char *id;
  size_t letters;
} answer;

/* A number that says how many GPUs or nodes there are. */
static bool is_count(const question *q, const char *word)
{
  char *end;
  long number = strtol(word, &end, 10);
  return end > word && *end == '\0' && (number == q->nodes || number == q->gpus);
}

/* Whether the text says nothing but the name and what the wiring is. */
static bool is_all(const question *q, const pm__words *name)
{
  for (size_t i = 0; i < q->w->words.count; i++) {
    const char *word = q->w->words.word[i];
    pm__words one;
    pm__words_split(&one, word);
    bool wires = read_join(&one) != JOIN_UNSAID || read_fabric(&one) != NULL || strspn(word, "0123456789xg") > 1;
    if (!wires && !is_seller(word) && !is_count(q, word) && !pm__words_have(name, word)) return false;
  }
  return true;
}

/* Letters of the name of a system that the text says in full, those of its GPU aside; 0 if it does not. Where it tells
** no GPU (NULL), it must say nothing else: "a3-nanogpu-8g" is no "GCP A3". */
static size_t letters_named(const question *q, const char *id, const pm__words *gpu)
{
  size_t most = 0;
  const char *name;
  for (size_t k = 0; (name = pm_catalog_get_name(q->catalog, "system", id, k)) != NULL; k++) {
    pm__words words;
    size_t letters = 0;
    pm__words_split(&words, name);
    bool whole = true;
    for (size_t i = 0; i < words.count && whole; i++) {
      if (is_seller(words.word[i])) continue;
      whole = pm__words_have(&q->w->words, words.word[i]);
      if (gpu == NULL || !pm__words_have(gpu, words.word[i])) letters += strlen(words.word[i]);
    }
    if (whole && letters > most && (gpu != NULL || is_all(q, &words))) most = letters;
  }
  return most;
}

static bool has_gpu(const question *q, const pm_machine *machine, pm_gpu *gpu)
{
  if (pm_catalog_get_record(q->catalog, "gpu", machine->gpu, gpu, NULL) != PM_OK) return false;
  return q->told == 0 || how_told(q->catalog, gpu, q->w) == q->told;
}

/* An entry is taken for its name, or for its GPU where the text says what joins its nodes. */
static void try_system(const question *q, const char *id, answer *best)
{
  pm_machine machine;
  pm_gpu gpu;
  pm__words own;
  if (q->told == 0 && letters_named(q, id, NULL) == 0) return;
  if (pm_catalog_get_record(q->catalog, "system", id, &machine, NULL) != PM_OK || machine.gpus < q->gpus) return;
  if (!has_gpu(q, &machine, &gpu)) return;
  pm__words_split(&own, gpu.name);
  size_t letters = letters_named(q, id, q->told > 0 ? &own : NULL);
  bool by_wiring = q->told > 0 && (q->nodes > 1 ? q->w->ports > 0 : q->w->joined == JOIN_MESH);
  if (letters <= best->letters && (letters > 0 || !by_wiring || best->id != NULL)) return;
  pm_system *system = pm_catalog_new_system(q->catalog, id, q->failure);
  if (system != NULL && has_network(system, q->w, q->nodes)) *best = (answer){id, letters};
  pm_system_free(system);
}

static const char *find_entry(const question *q)
{
  answer best = {NULL, 0};
  for (size_t i = 0; i < (size_t)pm_catalog_count(q->catalog, "system"); i++)
    try_system(q, pm_catalog_get_id(q->catalog, "system", i), &best);
  return best.id;
}

/* ---- A system in a word ---- */

static const char *topology_of(const wiring *w, const pm_gpu *gpu)
{
  bool switched = strstr(gpu->nvlink, "-nvswitch") != NULL;
  if (w->joined == JOIN_PAIRS) return "pairs";
  if (w->joined == JOIN_SWITCH || (w->joined == JOIN_UNSAID && switched && w->ports > 0)) return "nvswitch";
  return w->joined == JOIN_BUS ? "pcie" : NULL;
}

/* The type of link between nodes that has the fabric, InfiniBand if none is said: that of the rate of a port, else the
** newest, of which so many ports are taken that all have the same rate together. */
static const char *find_link(const pm_catalog *catalog, const wiring *w, int *ports)
{
  const char *fabric = w->fabric != NULL ? w->fabric : "infiniband", *best = NULL;
  for (size_t i = 0; i < (size_t)pm_catalog_count(catalog, "link"); i++) {
    pm_link link;
    const char *id = pm_catalog_get_id(catalog, "link", i);
    if (pm_catalog_get_record(catalog, "link", id, &link, NULL) != PM_OK) continue;
    bool joins = link.kind == PM_LINK_INFINIBAND || link.kind == PM_LINK_ETHERNET;
    if (!joins || !has_fabric(id, fabric)) continue;
    best = id;
    *ports = (int)lround(w->ports * w->rate / (8 * link.bandwidth));
    if (fabs(8 * link.bandwidth / w->rate - 1) <= 0.05) return id;
  }
  return best != NULL && *ports > 0 ? best : NULL;
}

/* Boards with a switch have eight GPUs, of which fewer may be used. */
static int gpus_of_node(const char *topology, int gpus)
{
  enum { BOARD = 8 };
  return strcmp(topology, "nvswitch") == 0 && gpus < BOARD ? BOARD : gpus;
}

static const char *find_word(const question *q, const pm_gpu *gpu, char *word)
{
  int ports = 0;
  const char *topology = topology_of(q->w, gpu);
  const char *link = q->nodes > 1 && q->w->ports > 0 ? find_link(q->catalog, q->w, &ports) : NULL;
  if (topology == NULL || (q->nodes > 1 && link == NULL)) return NULL;
  int used = snprintf(word, PM__WIRING_LONGEST, "%.40s*%d:%s", gpu->id, gpus_of_node(topology, q->gpus), topology);
  if (link != NULL) snprintf(word + used, PM__WIRING_LONGEST - (size_t)used, "+%dx%.40s", ports, link);
  return pm_catalog_resolve(q->catalog, "system", word, q->failure);
}

const char *pm__lab_wiring_find(const pm_catalog *catalog, const char *text, int gpus, int nodes, char *word,
                                pm_error *error)
{
  wiring w;
  pm_gpu gpu;
  pm_error failure = PM_ERROR_NONE;
  read_wiring(text, &w);
  /* A single word is a name, of which the catalogue has all. */
  if (w.words.count < 2 && pm_catalog_resolve(catalog, "gpu", text, NULL) == NULL) return NULL;
  const question q = {catalog, &w, find_gpu(catalog, &w, &gpu), gpus, nodes, &failure};
  const char *id = find_entry(&q);
  if (id == NULL && q.told > 0 && failure.status != PM_STATUS_NO_MEMORY) id = find_word(&q, &gpu, word);
  if (failure.status != PM_STATUS_NO_MEMORY) return id;
  pm__no_memory(error);
  return NULL;
}
