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

static int read_gpu(const pm_catalog *catalog, const char *name, size_t length, parts *p, pm_error *error)
{
  char gpu[2 * PM_TEXT_MAX];
  snprintf(gpu, sizeof gpu, "%.*s", (int)(length < sizeof gpu ? length : sizeof gpu - 1), name);
  const pm__entry *entry;
  int status = pm__catalog_find(catalog, PM__GPUS, gpu, &entry, error);
  if (status != PM_OK) return status;
  p->gpu = (const pm_gpu *)entry->record;
  return PM_OK;
}

static int read_gpus(const char *name, const char *text, size_t length, parts *p, pm_error *error)
{
  char number[16];
  double value;
  snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : sizeof number - 1), text);
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
    return pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.80s\": \"%.40s\" is no number of ports and their link; write "
                    "\"8xinfiniband-ndr\"", name, text);
  int status = pm__catalog_find(catalog, PM__LINKS, end + 1, &entry, error);
  if (status == PM_OK) p->network = entry->id;
  return status;
}

static int read_topology(const pm_catalog *catalog, const char *name, const char *text, parts *p, pm_error *error)
{
  char choices[PM_TEXT_MAX], said[PM_TEXT_MAX];
  snprintf(said, sizeof said, "%.*s", text != NULL ? (int)strcspn(text, "+") : 0, text != NULL ? text : "");
  p->topology = text != NULL ? pm__topology_find(said) : PM__TOPOLOGIES;
  if (p->topology != PM__TOPOLOGIES) return PM_OK;
  pm__topology_choices(catalog, p->gpu, choices, sizeof choices);
  if (text == NULL)
    return pm__fail(error, PM_STATUS_NOT_FOUND,
                    "\"%.80s\" does not say how its GPUs are joined; write \"%.40s*%d:TOPOLOGY\", one of %s",
                    name, p->gpu->id, p->gpus, choices);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown topology \"%.40s\"; those of \"%s\" are: %s", said, p->gpu->id,
                  choices);
}

static int read_word(const pm_catalog *catalog, const char *name, parts *p, pm_error *error)
{
  const char *star = strchr(name, '*'), *colon = strchr(name, ':');
  if (star != NULL && star > name && strspn(name, "0123456789 ") == (size_t)(star - name))
    return pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\": the GPU comes first, then how many; write \"%.*s*%.*s%s\"",
                    name,
                    (int)strcspn(star + 1, ":"), star + 1, (int)(star - name), name,
                        colon != NULL ? colon : ":TOPOLOGY");
  size_t length = star != NULL ? (size_t)(star - name) : strcspn(name, ":");
  int status = read_gpu(catalog, name, length, p, error);
  if (status != PM_OK) return status;
  if (star == NULL && colon != NULL)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" does not say how many GPUs; write \"%.40s*8%.40s\"", name,
                    p->gpu->id, colon);
  status = read_gpus(name, star + 1, strcspn(star + 1, ":"), p, error);
  if (status == PM_OK) status = read_topology(catalog, name, colon != NULL ? colon + 1 : NULL, p, error);
  const char *plus = colon != NULL ? strchr(colon, '+') : NULL;
  return status == PM_OK ? read_network(catalog, name, plus != NULL ? plus + 1 : NULL, p, error) : status;
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
    if (same == NULL) pm__fail(error, PM_STATUS_BAD_VALUE, "more than %d systems in a word; write a file for them",
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

int pm__system_word(const pm_catalog *catalog, const char *name, const pm__entry **entry, pm_error *error)
{
  parts p = {NULL, 0, PM__TOPOLOGIES, NULL, 0};
  char id[3 * PM_TEXT_MAX];
  pm_error failure = PM_ERROR_NONE;
  int status = read_word(catalog, name, &p, &failure);
  if (status == PM_OK) status = check(catalog, &p, &failure);
  if (status == PM_OK) {
    write_id(&p, id, sizeof id);
    word *known = find(atomic_load_explicit(&catalog->words->head, memory_order_acquire), id);
    word *fresh = known == NULL ? make(&p, id, &failure) : NULL;
    if (known != NULL) *entry = known->entry;
    else if (fresh != NULL) *entry = add_word(catalog->words, fresh, &failure);
  }
  if (failure.status != PM_OK && error != NULL && error->status == PM_OK) *error = failure;
  return failure.status;
}
