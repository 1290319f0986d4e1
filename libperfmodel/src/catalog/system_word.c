/*
** "h100-sxm5*8:nvswitch", with ports "h100-sxm5*8:nvswitch+8xinfiniband-ndr": a system in one word. Its entry is made
** as if a file held it when it is first asked for, and kept with the catalogue, so that whatever works on systems works
** on it. A catalogue may be shared between threads: words are only ever added, at the head of a list, by one
** compare-and-swap, and never change.
*/
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/standard_graph.h"
#include "catalog/system_word.h"
#include "catalog/word_parts.h"
#include "hardware/system.h"
#include "perfmodel/units.h"

enum { WORDS_MAX = 4096 };

typedef struct word {
  struct word *next;
  pm__document *document;
  pm__entry *entry;
  int position; /* in the list, from 1 at its end */
} word;

struct pm__catalog_words {
  _Atomic(word *) head;
};

pm__catalog_words *pm__catalog_words_new(void)
{
  pm__catalog_words *words = (pm__catalog_words *)malloc(sizeof *words);
  if (words != NULL) atomic_init(&words->head, NULL);
  return words;
}

static void free_word(word *w)
{
  pm__document_free(w->document);
  free(w);
}

void pm__catalog_words_free(pm__catalog_words *words)
{
  if (words == NULL) return;
  for (word *w = atomic_load(&words->head), *next; w != NULL; w = next) {
    next = w->next;
    free_word(w);
  }
  free(words);
}

/* ---- Reading the word ---- */

typedef struct parts {
  const pm_gpu *gpu;
  int gpus;
  pm__catalog_topology topology;
  const char *network; /* id of the type of links between nodes; NULL: none */
  int ports;
} parts;

static void copy(pm__catalog_part text, char *to, size_t size)
{
  snprintf(to, size, "%.*s", text.length, text.text);
}

static int read_gpu(const pm_catalog *catalog, pm__catalog_part text, parts *p, pm_error *error)
{
  char gpu[2 * PM_TEXT_MAX];
  const pm__entry *entry;
  copy(text, gpu, sizeof gpu);
  int status = pm__catalog_find(catalog, PM__GPUS, gpu, &entry, error);
  if (status != PM_OK) return status;
  p->gpu = (const pm_gpu *)entry->record;
  return PM_OK;
}

static int read_gpus(const char *name, pm__catalog_part text, parts *p, pm_error *error)
{
  char number[16];
  double value;
  copy(text, number, sizeof number);
  if (pm_number_parse(number, &value) != PM_OK || !(value >= 1 && value <= PM__NODE_GPUS_MAX) || value != (int)value)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.80s\": \"%s\" is not a number of GPUs within 1 and %d", name,
                    number, PM__NODE_GPUS_MAX);
  p->gpus = (int)value;
  return PM_OK;
}

enum { PORTS_MOST = 1024 };

/* "8xinfiniband-ndr" behind the topology; NULL: no network. */
static int read_network(const pm_catalog *catalog, const char *name, const char *text, parts *p, pm_error *error)
{
  const char *end;
  const pm__entry *entry;
  if (text == NULL) return PM_OK;
  p->ports = pm__whole_at(text, PORTS_MOST, &end);
  if (p->ports < 1 || *end != 'x')
    return pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.80s\": \"%.40s\" is not a number of ports with their link type; "
                    "write "
                    "\"8xinfiniband-ndr\"", name, text);
  int status = pm__catalog_find(catalog, PM__LINKS, end + 1, &entry, error);
  if (status == PM_OK) p->network = entry->id;
  return status;
}

static int read_topology(const pm_catalog *catalog, const char *name, pm__catalog_part text, parts *p,
                         pm_error *error)
{
  char choices[PM_TEXT_MAX], said[PM_TEXT_MAX];
  copy(text, said, sizeof said);
  p->topology = text.length > 0 ? pm__topology_find(said) : pm__topology_usual(p->gpu);
  if (p->topology != PM__TOPOLOGIES) return PM_OK;
  pm__topology_choices(catalog, p->gpu, choices, sizeof choices);
  if (text.length == 0)
    return pm__fail(error, PM_STATUS_NOT_FOUND,
                    "\"%.80s\" does not state how its GPUs are connected; write \"%.40s*%d:TOPOLOGY\", one of %s",
                    name, p->gpu->id, p->gpus, choices);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown topology \"%.40s\"; those of \"%s\" are: %s", said, p->gpu->id,
                  choices);
}

/* The GPU and how many. */
static int read_node(const pm_catalog *catalog, const char *name, const pm__catalog_parts *said, parts *p,
                     pm_error *error)
{
  int status = read_gpu(catalog, said->gpu, p, error);
  if (status != PM_OK) return status;
  if (said->count.length == 0 && said->topology.length > 0)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" does not state the number of GPUs; write \"%.40s*8:%.40s\"",
                    name,
                    p->gpu->id, said->topology.text);
  return read_gpus(name, said->count, p, error);
}

/* ---- Making its entry ---- */

static int write_entry(const parts *p, pm__string *xml, pm_error *error)
{
  pm__string_format(xml, "<perfmodel version=\"1\"><system id=\"word\" name=\"%d x %s, %s\">", p->gpus, p->gpu->id,
                    pm__topology_word(p->topology));
  pm__string_format(xml, "<gpu>%s</gpu><gpus>%d</gpus><topology>%s</topology><staged>%s</staged>", p->gpu->id, p->gpus,
                    pm__topology_word(p->topology), pm__topology_staged(p->gpu, p->topology) ? "yes" : "no");
  if (p->network != NULL) pm__string_format(xml, "<network link=\"%s\" count=\"%d\"/>", p->network, p->ports);
  pm__string_add(xml, "</system></perfmodel>");
  return xml->failed ? pm__no_memory(error) : PM_OK;
}

static void write_id(const parts *p, char *id, size_t size)
{
  int used = snprintf(id, size, "%s*%d:%s", p->gpu->id, p->gpus, pm__topology_word(p->topology));
  if (p->network != NULL) snprintf(id + used, size - (size_t)used, "+%dx%s", p->ports, p->network);
}

/* An id as no file can have it. */
static int set_id(word *w, const char *id, pm_error *error)
{
  w->entry->id = pm__arena_copy(&w->document->arena, id, strlen(id));
  if (w->entry->id == NULL) return pm__no_memory(error);
  return pm_record_set(pm_record_find_field(w->entry->type, "id"), w->entry->record, id, error);
}

static int read_entry(word *w, const char *xml, const char *id, pm_error *error)
{
  pm__entries entries = {NULL, 0, 0};
  w->document = pm__document_read(xml, strlen(xml), id, error);
  if (w->document == NULL) return error->status;
  int status = pm__entries_read(w->document, 0, &entries, error);
  if (status == PM_OK) w->entry = entries.items[0];
  free(entries.items);
  return status == PM_OK ? set_id(w, id, error) : status;
}

static word *make(const parts *p, const char *id, pm_error *error)
{
  pm__string xml = {NULL, 0, 0, false};
  word *w = (word *)calloc(1, sizeof *w);
  if (w == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  int status = write_entry(p, &xml, error);
  if (status == PM_OK) status = read_entry(w, xml.text, id, error);
  free(xml.text);
  if (status == PM_OK) return w;
  free_word(w);
  return NULL;
}

/* ---- The list ---- */

static word *find(word *w, const char *id)
{
  while (w != NULL && strcmp(w->entry->id, id) != 0) w = w->next;
  return w;
}

/* Adds it, or drops it for an equal one that another thread added first. */
static pm__entry *add_word(pm__catalog_words *words, word *fresh, pm_error *error)
{
  word *head = atomic_load_explicit(&words->head, memory_order_acquire);
  do {
    word *same = find(head, fresh->entry->id);
    fresh->next = head;
    fresh->position = head != NULL ? head->position + 1 : 1;
    if (same == NULL && fresh->position <= WORDS_MAX) continue;
    if (same == NULL) pm__fail(error, PM_STATUS_BAD_VALUE, "more than %d systems in one word; describe them in a file",
                               WORDS_MAX);
    free_word(fresh);
    return same != NULL ? same->entry : NULL;
  } while (!atomic_compare_exchange_weak_explicit(&words->head, &head, fresh, memory_order_release,
                                                  memory_order_acquire));
  return fresh->entry;
}

/* That the GPU has such links. */
static int check(const pm_catalog *catalog, const parts *p, pm_error *error)
{
  pm_machine machine;
  pm__string xml = {NULL, 0, 0, false};
  pm_record_clear(pm_record_type_find("machine"), &machine);
  machine.gpus = p->gpus;
  int status = pm__topology_graph(catalog, &machine, p->gpu, p->topology, &xml, error);
  free(xml.text);
  return status;
}

/* Where the word leaves it open how they are joined: the server of the catalogue that is called so, "8xh100-sxm5". */
static const pm__entry *find_server(const pm_catalog *catalog, const parts *p)
{
  char name[2 * PM_TEXT_MAX];
  const pm__entry *entry = NULL;
  snprintf(name, sizeof name, "%dx%s", p->gpus, p->gpu->id);
  return pm__catalog_seek(catalog, PM__SYSTEMS, name, &entry, NULL) == PM_OK ? entry : NULL;
}

static int find_or_make(const pm_catalog *catalog, const parts *p, const pm__entry **entry, pm_error *error)
{
  char id[4 * PM_TEXT_MAX];
  int status = check(catalog, p, error);
  if (status != PM_OK) return status;
  write_id(p, id, sizeof id);
  word *known = find(atomic_load_explicit(&catalog->words->head, memory_order_acquire), id);
  word *fresh = known == NULL ? make(p, id, error) : NULL;
  if (known != NULL) *entry = known->entry;
  else if (fresh != NULL) *entry = add_word(catalog->words, fresh, error);
  return error->status;
}

static int read_word(const pm_catalog *catalog, const char *name, const pm__entry **entry, pm_error *error)
{
  parts p = {.topology = PM__TOPOLOGIES};
  pm__catalog_parts said;
  pm__catalog_split(name, &said);
  int status = read_node(catalog, name, &said, &p, error);
  bool open = said.topology.length == 0 && said.network == NULL;
  *entry = status == PM_OK && open ? find_server(catalog, &p) : NULL;
  if (status != PM_OK || *entry != NULL) return status;
  status = read_topology(catalog, name, said.topology, &p, error);
  if (status == PM_OK) status = read_network(catalog, name, said.network, &p, error);
  return status == PM_OK ? find_or_make(catalog, &p, entry, error) : status;
}

int pm__system_word(const pm_catalog *catalog, const char *name, const pm__entry **entry, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  read_word(catalog, name, entry, &failure);
  pm__error_take(error, &failure);
  return failure.status;
}
