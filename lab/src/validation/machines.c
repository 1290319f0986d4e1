/*
** Which GPU and which machine of the catalogue a row of a published table means. What is not surely known is not
** matched: a prediction of another machine would count as an error of the model.
**
** A GPU of one form (SXM, PCIe, NVL) is never taken for one of another form, nor one of another size of memory, where
** the row says either. The name of a system must be said in full: words of the row that neither an entry's name nor its
** GPU explains ("A3 High" of the entry "A3 Mega", "p3dn over TCP") are those of another machine. Two to eight cards
** for PCIe without a system are in the usual server for them, whose name ("rtx-3090*4:pcie") says that it is no more.
*/
#include "validation/machines.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/index.h"
#include "base/words.h"
#include "validation/gpu_names.h"
#include "validation/wiring.h"

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

/* ---- The machines of a catalogue ---- */

typedef struct spelling {
  pm__words words;
  size_t owner; /* which GPU or system */
} spelling;

typedef struct spellings {
  spelling *items;
  size_t count, capacity;
} spellings;

typedef struct machine {
  const char *id;
  size_t gpu;
  int gpus;
} machine;

typedef struct answer {
  char *question, *text; /* what was asked for, and the id, or (with bad set) why there is none */
  bool bad;
} answer;

struct pm__lab_machines {
  const pm_catalog *catalog;
  pm__lab_gpu_names *names;
  pm_gpu *gpus;
  machine *machines;
  size_t gpu_count, machine_count;
  spellings gpu_names, machine_names;
  answer *answers;
  size_t answer_count, answer_capacity;
  pm__text_index questions; /* of the answers */
};

/* Words are pointers into their struct, so that copies are made by splitting again. */
static int add_spelling(spellings *list, const char *name, size_t owner, pm_error *error)
{
  spelling *items = (spelling *)pm__grow(list->items, list->count, &list->capacity, sizeof *items);
  if (items == NULL) return pm__no_memory(error);
  if (items != list->items)
    for (size_t i = 0; i < list->count; i++)
      for (size_t k = 0, at = 0; k < items[i].words.count; at += strlen(items[i].words.word[k++]) + 1)
        items[i].words.word[k] = items[i].words.text + at;
  list->items = items;
  items[list->count].owner = owner;
  pm__words_split(&items[list->count++].words, name);
  return PM_OK;
}

static int add_names(spellings *list, const pm_catalog *catalog, const char *kind, const char *id, size_t owner,
                     pm_error *error)
{
  const char *name;
  int status = PM_OK;
  for (size_t k = 0; status == PM_OK && (name = pm_catalog_get_name(catalog, kind, id, k)) != NULL; k++)
    status = add_spelling(list, name, owner, error);
  return status;
}

static int add_gpus(pm__lab_machines *m, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < m->gpu_count && status == PM_OK; i++) {
    const char *id = pm_catalog_get_id(m->catalog, "gpu", i);
    status = pm_catalog_get_record(m->catalog, "gpu", id, &m->gpus[i], error);
    if (status == PM_OK) status = add_names(&m->gpu_names, m->catalog, "gpu", id, i, error);
  }
  return status;
}

static int add_machines(pm__lab_machines *m, pm_error *error)
{
  int status = PM_OK;
  pm_machine record;
  for (size_t i = 0; i < m->machine_count && status == PM_OK; i++) {
    machine *out = &m->machines[i];
    out->id = pm_catalog_get_id(m->catalog, "system", i);
    status = pm_catalog_get_record(m->catalog, "system", out->id, &record, error);
    if (status != PM_OK) return status;
    out->gpus = record.gpus;
    while (out->gpu < m->gpu_count && strcmp(m->gpus[out->gpu].id, record.gpu) != 0) out->gpu++;
    status = add_names(&m->machine_names, m->catalog, "system", out->id, i, error);
  }
  return status;
}

pm__lab_machines *pm__lab_machines_new(const pm_catalog *catalog, pm_error *error)
{
  int gpus = pm_catalog_count(catalog, "gpu"), machines = pm_catalog_count(catalog, "system");
  pm__lab_machines *m = (pm__lab_machines *)calloc(1, sizeof *m);
  if (m == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  m->catalog = catalog;
  m->gpu_count = gpus > 0 ? (size_t)gpus : 0;
  m->machine_count = machines > 0 ? (size_t)machines : 0;
  m->gpus = (pm_gpu *)calloc(m->gpu_count + 1, sizeof *m->gpus);
  m->machines = (machine *)calloc(m->machine_count + 1, sizeof *m->machines);
  m->names = pm__lab_gpu_names_new(catalog, error);
  int status = m->names != NULL && m->gpus != NULL && m->machines != NULL ? PM_OK : pm__no_memory(error);
  if (status == PM_OK) status = add_gpus(m, error);
  if (status == PM_OK) status = add_machines(m, error);
  if (status == PM_OK) return m;
  pm__lab_machines_free(m);
  return NULL;
}

void pm__lab_machines_free(pm__lab_machines *m)
{
  if (m == NULL) return;
  for (size_t i = 0; i < m->answer_count; i++) {
    free(m->answers[i].question);
    free(m->answers[i].text);
  }
  free(m->answers);
  pm__text_index_free(&m->questions);
  pm__lab_gpu_names_free(m->names);
  free(m->gpu_names.items);
  free(m->machine_names.items);
  free(m->machines);
  free(m->gpus);
  free(m);
}

/* ---- What fits ---- */

/* Words that do not make another GPU. */
static bool says_little(const char *word)
{
  static const char *const little[] = {"nvidia", "tesla", "quadro",  "geforce", "rtx",  "gtx", "amd", "instinct",
                                       "gpu",    "gpus",  "graphics", "card",   "sxm",  "sxm2", "sxm3", "sxm4",
                                       "sxm5",   "sxm6",  "pcie",    "pci",     "nvl",  "hbm3", "hbm2", "hbm2e"};
  return is_one_of(word, little, sizeof little / sizeof little[0]) || pm__word_is_memory(word);
}

/* Makers and sellers, and what every machine is: no other machine for them. */
static bool says_nothing_of_a_machine(const char *word)
{
  static const char *const little[] = {"nvidia", "aws", "amazon", "ec2", "azure", "microsoft", "google", "cloud", "gcp",
                                       "oracle", "oci", "dell", "ibm", "the", "a", "an", "of", "with", "gb",
                                       "node", "nodes", "server", "system", "machine", "x", "gpu", "gpus"};
  return is_one_of(word, little, sizeof little / sizeof little[0]);
}

static bool is_form(const char *word)
{
  return strncmp(word, "sxm", 3) == 0 || strcmp(word, "pcie") == 0 || strcmp(word, "nvl") == 0;
}

/* "sxm" is any of its generations. */
static bool same_form(const char *asked, const char *form)
{
  return strcmp(asked, form) == 0 || (strcmp(asked, "sxm") == 0 && strncmp(form, "sxm", 3) == 0);
}

/* How far a name of a GPU is from what was asked for, in words too many; -1 if it is another GPU. */
static int words_apart(const pm__words *asked, const pm__words *name)
{
  int far = 0;
  for (size_t i = 0; i < asked->count; i++) {
    if (pm__words_have(name, asked->word[i])) continue;
    if (!says_little(asked->word[i])) return -1;
    far++;
  }
  for (size_t i = 0; i < name->count; i++) {
    if (pm__words_have(asked, name->word[i])) continue;
    if (!says_little(name->word[i])) return -1;
    far++;
  }
  return far;
}

/* Whether the GPU has the form that is asked for, if one is. A GPU whose names state none is a card for PCIe. */
static bool has_form(const pm__lab_machines *m, size_t gpu, const pm__words *asked)
{
  bool wanted = false, stated = false, same = false, card = false;
  for (size_t k = 0; k < asked->count; k++) {
    if (!is_form(asked->word[k])) continue;
    wanted = true;
    card = card || strcmp(asked->word[k], "pcie") == 0;
    for (size_t i = 0; i < m->gpu_names.count; i++) {
      const spelling *s = &m->gpu_names.items[i];
      for (size_t w = 0; s->owner == gpu && w < s->words.count; w++) {
        stated = stated || is_form(s->words.word[w]);
        same = same || same_form(asked->word[k], s->words.word[w]);
      }
    }
  }
  return !wanted || same || (!stated && card);
}

/* GB of memory that a name says ("A100 80 GB"), or that stand beside it; NAN if neither does. */
static double memory_of(const pm__words *asked, double beside)
{
  for (size_t i = 0; isnan(beside) && i < asked->count; i++)
    if (pm__word_is_memory(asked->word[i])) beside = strtod(asked->word[i], NULL);
  return beside;
}

/* 80 GiB are 80 GB to most tables. */
static bool has_memory(const pm_gpu *gpu, double memory)
{
  return !(memory > 0) || fabs(gpu->memory / 1e9 / memory - 1) <= 0.1;
}

/* How far each GPU of the catalogue is from what was asked for; -1 for one that it cannot be. */
static void gpu_distances(const pm__lab_machines *m, const pm__words *asked, double beside, int *far)
{
  double memory = memory_of(asked, beside);
  for (size_t i = 0; i < m->gpu_count; i++) far[i] = -1;
  for (size_t i = 0; i < m->gpu_names.count; i++) {
    size_t owner = m->gpu_names.items[i].owner;
    int distance = asked->count > 0 ? words_apart(asked, &m->gpu_names.items[i].words) : 0;
    if (distance >= 0 && (far[owner] < 0 || distance < far[owner])) far[owner] = distance;
  }
  for (size_t i = 0; i < m->gpu_count; i++)
    if (far[i] >= 0 && (!has_memory(&m->gpus[i], memory) || !has_form(m, i, asked))) far[i] = -1;
}

/* Whether a word of a row's system says no more than its GPU does: what that is called, its memory, how many there
** are. */
static bool is_explained(const pm__lab_machines *m, size_t gpu, const pm__words *asked, const char *word)
{
  size_t digits = strspn(word, "0123456789");
  if (pm__word_is_memory(word)) return has_memory(&m->gpus[gpu], strtod(word, NULL));
  if (says_nothing_of_a_machine(word) || pm__words_have(asked, word)) return true;
  if (digits > 0 && strcmp(word + digits, "x") == 0) return true;
  for (size_t i = 0; i < m->gpu_names.count; i++)
    if (m->gpu_names.items[i].owner == gpu && pm__words_have(&m->gpu_names.items[i].words, word)) return true;
  return false;
}

/* What a row says: its system, its GPU, and all of it together. */
typedef struct asked_words {
  pm__words system, gpu, all;
} asked_words;

/* Letters of the longest name of the system that the row says in full, and that leaves nothing of the row's system
** unexplained; 0 for none. */
static int letters_found(const pm__lab_machines *m, size_t system, const asked_words *asked)
{
  int most = 0;
  for (size_t i = 0; i < m->machine_names.count; i++) {
    const spelling *s = &m->machine_names.items[i];
    int letters = 0;
    bool whole = s->owner == system && pm__words_within(&s->words, &asked->all);
    for (size_t k = 0; k < asked->system.count && whole; k++)
      whole = pm__words_have(&s->words, asked->system.word[k]) ||
              is_explained(m, m->machines[system].gpu, &asked->gpu, asked->system.word[k]);
    for (size_t k = 0; k < s->words.count && whole; k++) letters += (int)strlen(s->words.word[k]);
    most = letters > most ? letters : most;
  }
  return most;
}

/* The system that is named, or any if none is: of two that fit equally the one with the nearer GPU, then the smaller,
** then the first. */
static const machine *best_machine(const pm__lab_machines *m, const asked_words *asked, const int *far, int gpus)
{
  const machine *best = NULL;
  int most = 0;
  for (size_t i = 0; i < m->machine_count; i++) {
    const machine *x = &m->machines[i];
    if (x->gpu >= m->gpu_count || far[x->gpu] < 0 || x->gpus < gpus) continue;
    int letters = asked->system.count > 0 ? letters_found(m, i, asked) : 0;
    if (asked->system.count > 0 && letters == 0) continue;
    bool better = best == NULL || letters > most;
    if (!better && letters == most)
      better = far[x->gpu] < far[best->gpu] || (far[x->gpu] == far[best->gpu] && x->gpus < best->gpus);
    if (better) {
      best = x;
      most = letters;
    }
  }
  return best;
}

/* ---- The row ---- */

/* The GPU's own entry: what it is called, or the nearest that it can be. */
static const char *own_entry(const pm__lab_machines *m, const pm__lab_row *row, const int *far)
{
  size_t nearest = m->gpu_count;
  const char *id = pm__lab_gpu_names_find(m->names, row->cell[PM__COLUMN_GPU], row->cell[PM__COLUMN_MEMORY]);
  for (size_t i = 0; i < m->gpu_count; i++) {
    if (far[i] < 0) continue;
    if (id != NULL && strcmp(m->gpus[i].id, id) == 0) return id;
    if (nearest == m->gpu_count || far[i] < far[nearest]) nearest = i;
  }
  return nearest < m->gpu_count ? m->gpus[nearest].id : NULL;
}

static int unknown(const pm__lab_row *row, bool known, int gpus, pm_error *error)
{
  const char *gpu = row->cell[PM__COLUMN_GPU], *memory = row->cell[PM__COLUMN_MEMORY];
  const char *system = row->cell[PM__COLUMN_SYSTEM];
  if (gpu[0] == '\0' && system[0] == '\0') return pm__fail(error, PM_STATUS_NOT_FOUND, "no GPU and no system");
  if (!known && memory[0] != '\0')
    return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown GPU \"%.60s\" with %.10s GB", gpu, memory);
  if (!known && gpu[0] != '\0') return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown GPU \"%.60s\"", gpu);
  if (system[0] == '\0') return pm__fail(error, PM_STATUS_NOT_FOUND, "no system with %d GPUs \"%.60s\"", gpus, gpu);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown system \"%.60s\", or it has no %d GPUs \"%.60s\"", system, gpus,
                  gpu);
}

enum { CARDS_MOST = 8 }; /* of the usual server for cards */

/* The id of a system, also of one in a word; NULL if there is none, with an error only if memory ran out. */
static const char *resolve_system(const pm_catalog *catalog, const char *name, pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  bool word = strpbrk(name, "*:") != NULL; /* no other name needs memory, and what nobody reads takes long to say */
  const char *id = pm_catalog_resolve(catalog, "system", name, word ? &reason : NULL);
  if (reason.status == PM_STATUS_NO_MEMORY) pm__no_memory(error);
  return id;
}

/* The usual server for so many of a card, in one word; false if the GPU is no card for PCIe. */
static bool usual_server(const pm__lab_machines *m, const char *gpu, int gpus, char *word, size_t size, pm_error *error)
{
  if (gpu == NULL || gpus < 2 || gpus > CARDS_MOST) return false;
  for (size_t i = 0; i < m->gpu_names.count; i++) {
    const spelling *s = &m->gpu_names.items[i];
    for (size_t w = 0; strcmp(m->gpus[s->owner].id, gpu) == 0 && w < s->words.count; w++)
      if (is_form(s->words.word[w]) && strcmp(s->words.word[w], "pcie") != 0) return false;
  }
  snprintf(word, size, "%.60s*%d:pcie", gpu, gpus);
  return resolve_system(m->catalog, word, error) != NULL;
}

/* For one GPU by itself its own entry, unless its machine is named. */
static int search(const pm__lab_machines *m, const pm__lab_row *row, int gpus, int nodes, char *word, size_t size,
                  const char **id, pm_error *error)
{
  const char *gpu = row->cell[PM__COLUMN_GPU], *system = row->cell[PM__COLUMN_SYSTEM];
  char all[3 * PM_TEXT_MAX];
  asked_words asked;
  int *far = (int *)calloc(m->gpu_count + 1, sizeof *far);
  if (far == NULL) return pm__no_memory(error);
  snprintf(all, sizeof all, "%.79s %.79s %.20s GB", system, gpu, row->cell[PM__COLUMN_MEMORY]);
  pm__words_split(&asked.gpu, gpu);
  pm__words_split(&asked.system, system);
  pm__words_split(&asked.all, all);
  gpu_distances(m, &asked.gpu, pm__lab_row_number(row, PM__COLUMN_MEMORY), far);
  const char *own = gpu[0] != '\0' ? own_entry(m, row, far) : NULL;
  const machine *best = asked.gpu.count + asked.system.count > 0 ? best_machine(m, &asked, far, gpus) : NULL;
  bool alone = gpus == 1 && nodes <= 1;
  free(far);
  if (best != NULL && asked.system.count == 0 && alone) best = NULL;
  *id = best != NULL ? best->id : alone ? own : NULL;
  if (*id == NULL && system[0] == '\0' && nodes <= 1 && usual_server(m, own, gpus, word, size, error)) *id = word;
  return *id != NULL ? PM_OK : unknown(row, own != NULL, gpus, error);
}

/* ---- Answers are remembered: tables ask for few machines, many times ---- */

static const answer *remember(pm__lab_machines *m, const char *question, const char *text, bool bad)
{
  answer *items = (answer *)pm__grow(m->answers, m->answer_count, &m->answer_capacity, sizeof *items);
  if (items == NULL) return NULL;
  m->answers = items;
  answer next = {.question = pm__text_copy(question), .text = pm__text_copy(text), .bad = bad};
  if (next.question == NULL || next.text == NULL ||
      !pm__text_index_add(&m->questions, next.question, m->answer_count)) {
    free(next.question);
    free(next.text);
    return NULL;
  }
  items[m->answer_count] = next;
  return &items[m->answer_count++];
}

static const char *question_of(const void *machines, size_t item)
{
  return ((const pm__lab_machines *)machines)->answers[item].question;
}

static const answer *ask(pm__lab_machines *m, const pm__lab_row *row, int gpus, int nodes)
{
  char question[4 * PM_TEXT_MAX], word[PM_TEXT_MAX];
  const char *id;
  pm_error reason = PM_ERROR_NONE;
  snprintf(question, sizeof question, "%.79s|%.20s|%.79s|%d|%d", row->cell[PM__COLUMN_GPU],
           row->cell[PM__COLUMN_MEMORY], row->cell[PM__COLUMN_SYSTEM], gpus, nodes > 1);
  size_t known = pm__text_index_find(&m->questions, question, question_of, m);
  if (known != PM__NO_ITEM) return &m->answers[known];
  int status = search(m, row, gpus, nodes, word, sizeof word, &id, &reason);
  if (reason.status == PM_STATUS_NO_MEMORY) return NULL;
  return remember(m, question, status == PM_OK ? id : reason.text, status != PM_OK);
}

const char *pm__lab_machines_find(pm__lab_machines *m, const pm__lab_row *row, int gpus, int nodes,
                                   pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  const char *named = resolve_system(m->catalog, row->cell[PM__COLUMN_SYSTEM], &failure);
  if (named != NULL && row->cell[PM__COLUMN_GPU][0] == '\0') return named;
  if (failure.status == PM_STATUS_NO_MEMORY) {
    pm__no_memory(error);
    return NULL;
  }
  const answer *found = ask(m, row, gpus, nodes);
  if (found == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  if (!found->bad) return found->text;
  pm__fail(error, PM_STATUS_NOT_FOUND, "%s", found->text);
  return NULL;
}

const char *pm__lab_machines_find_wired(pm__lab_machines *m, const char *text, int gpus, int nodes, pm_error *error)
{
  char question[4 * PM_TEXT_MAX], word[PM__WIRING_LONGEST];
  snprintf(question, sizeof question, "wired|%.200s|%d|%d", text, gpus, nodes > 1);
  size_t known = pm__text_index_find(&m->questions, question, question_of, m);
  const answer *found = known != PM__NO_ITEM ? &m->answers[known] : NULL;
  pm_error failure = PM_ERROR_NONE;
  if (found == NULL) {
    const char *id = pm__lab_wiring_find(m->catalog, text, gpus, nodes, word, &failure);
    found = failure.status == PM_OK ? remember(m, question, id != NULL ? id : "", id == NULL) : NULL;
  }
  if (found == NULL) pm__no_memory(error);
  return found != NULL && !found->bad ? found->text : NULL;
}

int pm__lab_machines_gpus(const pm__lab_machines *m, const char *id, pm_error *error)
{
  pm_machine record;
  pm_error reason = PM_ERROR_NONE;
  if (pm_catalog_get_record(m->catalog, "system", id, &record, &reason) == PM_OK) return record.gpus;
  if (reason.status == PM_STATUS_NO_MEMORY) pm__no_memory(error);
  return 0;
}
