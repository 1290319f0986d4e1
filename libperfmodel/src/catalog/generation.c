/*
** Which entry a framework's name means. An id is NAME, NAME-RELEASE or NAME-RELEASE-VARIANT: "pytorch-2.4-nhwc" is
** release 2.4 of "pytorch-nhwc". Of such a name without a release, or with one that has no entry,
**
**     NAME-RELEASE     the newest entry up to that release
**     NAME-2           as NAME, of the releases 2.x
**     NAME@MONTH       the newest since that month, with the GPU libraries of that month: "pytorch@2024-06"; a
**                      container's release is a month too: "pytorch@24.06"
**     NAME             the newest whose constants were fitted, of those whose libraries run on the GPU; the newest of
**                      these if none was fitted
*/
#include "catalog/generation.h"
#include <stdio.h>
#include <string.h>
#include "catalog/release.h"
#include "software/libraries.h"

typedef struct question {
  const pm_catalog *catalog;
  int kind;
  pm__catalog_release name;
  const char *month, *architecture; /* "" if none */
} question;

/* "2024-06", and NVIDIA's containers "24.06" and "ngc-24.06" -> "2024-06"; empty for what is no month. */
static void read_month(const char *text, char *month, size_t size)
{
  int year = 0, number = 0, used = 0;
  month[0] = '\0';
  if (strncmp(text, "ngc-", 4) == 0) text += 4;
  bool known = (sscanf(text, "%4d-%2d%n", &year, &number, &used) == 2 ||
                sscanf(text, "%2d.%2d%n", &year, &number, &used) == 2);
  if (!known || text[used] != '\0' || number < 1 || number > 12 || year < 0) return;
  snprintf(month, size, "%d-%02d", year < 100 ? 2000 + year : year, number);
}

/* ---- The entries that a name may mean. */

/* What a candidate rests on: the framework that it is, or that it runs on. */
typedef struct candidate {
  const char *id, *name; /* the id, or an alias of the same kind: "pytorch-1.0" is "pt-nchw" */
  pm__catalog_release parts;
  const pm_framework *framework; /* NULL: of others, which only have releases */
  bool runs;   /* its libraries run on the GPU */
  bool fitted; /* the release, or that of which it is a variant */
} candidate;

static const pm_framework *framework_of(const question *q, size_t position)
{
  const pm__entry *entry = NULL;
  if (pm__catalog_at(q->catalog, q->kind, position, &entry, NULL) != PM_OK) return NULL;
  if (q->kind == PM__FRAMEWORKS) return (const pm_framework *)entry->record;
  const char *name = ((const pm_inference_profile *)entry->record)->framework;
  if (pm__catalog_seek(q->catalog, PM__FRAMEWORKS, name, &entry, NULL) != PM_OK || entry == NULL) return NULL;
  return (const pm_framework *)entry->record;
}

static bool runs_on(const question *q, const pm_framework *framework)
{
  const pm__entry *entry = NULL;
  if (pm__catalog_seek(q->catalog, PM__CUDNN_GENERATIONS, framework->cudnn, &entry, NULL) != PM_OK || entry == NULL)
    return true;
  return pm__libraries_support(((const pm_cudnn_generation *)entry->record)->architectures, q->architecture);
}

/* A variant goes with its release, so that both are of the same one: "pytorch-2.4-nhwc" with "pytorch-2.4". */
static bool is_fitted(const question *q, const char *id, const pm_framework *framework)
{
  char release[PM_TEXT_MAX];
  const pm__entry *entry = NULL;
  size_t at = pm__release_find(id), digits = strspn(id + at + 1, ".0123456789");
  snprintf(release, sizeof release, "%.*s", (int)(at + 1 + digits), id);
  if (pm__catalog_seek(q->catalog, PM__FRAMEWORKS, release, &entry, NULL) == PM_OK && entry != NULL)
    framework = (const pm_framework *)entry->record;
  return framework->evidence == PM_EVIDENCE_FITTED;
}

/* Of an id or an alias (`which`). */
static bool read_candidate(const question *q, size_t position, size_t which, candidate *c)
{
  c->id = pm__catalog_name(q->catalog, q->kind, position, 1);
  c->name = pm__catalog_name(q->catalog, q->kind, position, which);
  c->parts = pm__release_parts_of(c->name);
  if (c->parts.major < 0 || !pm__same_name(c->parts.family, q->name.family)) return false;
  c->framework = q->kind == PM__FRAMEWORKS || q->kind == PM__INFERENCE_PROFILES ? framework_of(q, position) : NULL;
  c->runs = c->framework == NULL || runs_on(q, c->framework);
  c->fitted = c->framework != NULL && is_fitted(q, c->name, c->framework);
  return true;
}

static bool may_be(const question *q, const candidate *c)
{
  if (q->name.major >= 0 && q->name.minor < 0) return c->parts.major <= q->name.major;
  if (q->name.major >= 0) return pm__releases_compare(&c->parts, &q->name) <= 0;
  return q->month[0] == '\0' || (c->framework != NULL && c->framework->since[0] != '\0' &&
                                 strcmp(c->framework->since, q->month) <= 0);
}

static bool is_better(const question *q, const candidate *c, const candidate *best)
{
  bool by_gpu = q->name.minor < 0 && q->month[0] == '\0';
  if (q->name.major >= 0 && c->parts.major != best->parts.major) return c->parts.major > best->parts.major;
  if (by_gpu && c->runs != best->runs) return c->runs;
  if (by_gpu && c->fitted != best->fitted) return c->fitted;
  return pm__releases_compare(&c->parts, &best->parts) > 0;
}

static void add_known(const candidate *c, char *known, size_t size)
{
  size_t used = strlen(known);
  snprintf(known + used, size - used, "%s%s", used > 0 ? ", " : "", c->name);
}

/* The best entry, without an id if there is none; `known` lists the releases of its name, of which `newest` is the last
** major. */
static candidate find_best(const question *q, char *known, size_t size, int *newest)
{
  candidate c, best = {.id = NULL};
  known[0] = '\0';
  *newest = -1;
  for (size_t i = 0; i < q->catalog->lists[q->kind].count; i++)
    for (size_t which = 1; pm__catalog_name(q->catalog, q->kind, i, which) != NULL; which++) {
      if (which == 2 || !read_candidate(q, i, which, &c)) continue; /* 2 is its title */
      add_known(&c, known, size);
      if (c.parts.major > *newest) *newest = c.parts.major;
      if (may_be(q, &c) && (best.id == NULL || is_better(q, &c, &best))) best = c;
    }
  return best;
}

/* So many minor releases may have come out since the catalogue was written. A further major one has other code. */
enum { NEXT_MINORS = 12 };

static bool is_too_new(const question *q, const candidate *best, int newest)
{
  if (newest < 0 || best->id == NULL) return false;
  if (q->name.major != best->parts.major) return q->name.major > newest;
  return best->parts.minor >= 0 && q->name.minor > best->parts.minor + NEXT_MINORS;
}

/* ---- The libraries of a month. */

static int find_libraries(const pm_catalog *catalog, const char *month, char *cudnn, pm_error *error)
{
  const char *newest = "";
  for (size_t i = 0; i < catalog->lists[PM__CUDNN_GENERATIONS].count; i++) {
    const pm__entry *entry = NULL;
    int status = pm__catalog_at(catalog, PM__CUDNN_GENERATIONS, i, &entry, error);
    if (status != PM_OK) return status;
    const pm_cudnn_generation *g = (const pm_cudnn_generation *)entry->record;
    if (g->since[0] == '\0' || strcmp(g->since, month) > 0 || strcmp(g->since, newest) <= 0) continue;
    newest = g->since;
    pm__text_set(cudnn, PM_TEXT_MAX, g->id);
  }
  if (newest[0] != '\0') return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "the catalogue has no GPU libraries from %s or earlier", month);
}

/* ---- */

/* "tf1-nchw@cudnn6" -> its parts; no '@': the framework's own libraries. */
static int split(const char *name, pm__catalog_software_ids *ids, char *month, size_t size, pm_error *error)
{
  size_t length = strcspn(name, "@");
  month[0] = ids->cudnn[0] = '\0';
  const char *libraries = name[length] == '@' ? name + length + 1 : "";
  if (length >= PM_TEXT_MAX || !pm__text_set(ids->cudnn, PM_TEXT_MAX, libraries))
    return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown framework \"%.100s\"", name);
  snprintf(ids->id, sizeof ids->id, "%.*s", (int)length, name);
  read_month(libraries, month, size);
  ids->dated = month[0] != '\0';
  if (name[length] == '\0' || libraries[0] != '\0') return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "framework \"%s\" has neither a cuDNN generation nor a month after the @",
                  name);
}

static int find_id(question *q, pm__catalog_software_ids *ids, pm_error *error)
{
  char known[512];
  int newest;
  if (pm__catalog_has(q->catalog, q->kind, ids->id)) return PM_OK;
  q->name = pm__release_parts_of(ids->id);
  const candidate best = find_best(q, known, sizeof known, &newest);
  if (is_too_new(q, &best, newest))
    return pm__fail(error, PM_STATUS_NOT_FOUND, "framework \"%s\": no such release; the nearest is %s; known are %s",
                    ids->id, best.name, known);
  if (best.id != NULL) return pm__text_set(ids->id, sizeof ids->id, best.id), PM_OK;
  if (known[0] == '\0') return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "framework \"%s\" has no release that old; known are %s", ids->id,
                  known);
}

int pm__software_find(const pm_catalog *catalog, int kind, const pm__catalog_software_name *asked,
                      pm__catalog_software_ids *ids,
                      pm_error *error)
{
  char month[24]; /* of any number that fits */
  question q = {.catalog = catalog, .kind = kind, .month = month,
                .architecture = asked->architecture != NULL ? asked->architecture : ""};
  int status = split(asked->name, ids, month, sizeof month, error);
  if (status == PM_OK) status = find_id(&q, ids, error);
  return status == PM_OK && month[0] != '\0' ? find_libraries(catalog, month, ids->cudnn, error) : status;
}
