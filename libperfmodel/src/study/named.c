/*
** Names of formulas -> values. A name without a dot is a field of the answer or of the run, or `peak`. Before a dot
** stands a record:
**
**     gpu, machine, kernels, framework, profile, engine, memory_profile, link     of the catalogue, with its evidence
**     model                                                                       counted from the network
**     whole                                                                       of the step, call or request
*/
#include "study/named.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel/collective.h"
#include "perfmodel/units.h"

/* ---- Text ---- */

const char *pm__study_number_text(const pm_field *field, double number, char text[PM__REPORT_WORD])
{
  char digits[PM_NUMBER_MAX];
  bool whole = strcmp(field->unit, "1") == 0 && fabs(number) < 1e15 && number == rint(number);
  if (field->show & PM_SHOW_PERCENT && isfinite(number)) return pm__report_percent(text, number);
  if (whole) snprintf(text, PM__REPORT_WORD, "%s", pm_number_format(digits, number));
  else pm_quantity_format(text, PM__REPORT_WORD, number, field->unit);
  return text;
}

static void take_field(const pm_field *field, const void *record, pm__study_named *out)
{
  char text[PM__REPORT_WORD], word[PM_TEXT_MAX];
  bool words = field->kind == PM_FIELD_TEXT || field->choices != NULL;
  out->number = words ? (double)NAN : pm_record_get_number(field, record);
  out->unit = words ? "" : field->unit;
  out->doc = field->doc;
  snprintf(out->text, sizeof out->text, "%s",
           words ? pm_record_format(field, record, word) : pm__study_number_text(field, out->number, text));
}

static void take_number(double number, const char *unit, const char *doc, pm__study_named *out)
{
  const pm_field like = {.unit = unit};
  out->number = number;
  out->unit = unit;
  out->doc = doc;
  pm__study_number_text(&like, number, out->text);
}

/* ---- Of the catalogue ---- */

/* "fitted to 30 rows of a100, 2026-11", "data sheet", "rule", with what its note says. */
static void format_evidence(const pm_value *v, char source[PM__STUDY_SOURCE])
{
  bool fitted = v->fitted_to != NULL && v->fitted_to[0] != '\0', noted = v->note != NULL && v->note[0] != '\0';
  bool origin = v->origin != NULL && v->origin[0] != '\0', known = v->source != NULL && v->source[0] != '\0';
  char rows[PM_TEXT_MAX] = "";
  if (v->rows > 0) snprintf(rows, sizeof rows, "%d rows of ", v->rows);
  if (fitted) snprintf(source, PM__STUDY_SOURCE, "fitted to %s%.160s", rows, v->fitted_to);
  else if (origin) snprintf(source, PM__STUDY_SOURCE, "%s%s%s", v->origin, known ? ", " : "", known ? v->source : "");
  else snprintf(source, PM__STUDY_SOURCE, "source %s", known ? v->source : "not stated");
  size_t used = strlen(source);
  if (noted) snprintf(source + used, PM__STUDY_SOURCE - used, ": %.160s", v->note);
}

/* Where a value of an entry comes from; a number that is not the entry's was given. */
static void find_source(const pm__study_subject *s, const char *kind, const char *id, const pm_field *field,
                        pm__study_named *out)
{
  pm_value v;
  double stated = NAN;
  int status = pm_catalog_get_value(s->study->catalog, kind, id, field->name, &v, NULL);
  if (status != PM_OK || v.text == NULL) {
    const char *rule = status == PM_OK ? ", by rule: no entry states it" : "";
    snprintf(out->source, sizeof out->source, "%s %s%s", kind, id, rule);
    return;
  }
  char evidence[PM__STUDY_SOURCE];
  bool number = !isnan(out->number) && pm_quantity_parse(v.text, field->unit, &stated, NULL) == PM_OK;
  format_evidence(&v, evidence);
  snprintf(out->source, sizeof out->source, "%s %.60s, %.300s", kind, v.entry,
           number && stated != out->number ? "changed for this question" : evidence);
}

/* The type of link that limits a ring of all GPUs. */
static const pm_link *find_link(const pm__study_subject *s, pm_link *link)
{
  pm_ring ring;
  int gpus = (int)pm__study_run_number(s, "gpus"), nodes = (int)pm__study_run_number(s, "nodes");
  if (gpus * (double)nodes <= 1 || pm_ring_find(s->system, gpus, nodes, &ring, NULL) != PM_OK) return NULL;
  return pm_catalog_get_record(s->study->catalog, "link", ring.bottleneck, link, NULL) == PM_OK ? link : NULL;
}

/* A field of a record that the run has, after the dot. */
static bool find_in_records(const pm__study_subject *s, const char *name, const char *dot, pm__study_named *out)
{
  pm_link link;
  const pm_study_software *of = &s->software;
  const struct {
    const char *prefix, *type, *kind;
    const void *record;
  } records[] = {{"gpu", "gpu", "gpu", s->gpu},
                 {"machine", "machine", "system", s->machine},
                 {"kernels", "kernel_calibration", "kernel_calibration", pm_system_get_kernels(s->system)},
                 {"framework", "framework", "framework", of->framework != NULL ? &of->framework->framework : NULL},
                 {"profile", "inference_profile", "inference_profile", of->profile},
                 {"engine", "engine", "engine", of->engine != NULL ? &of->engine->engine : NULL},
                 {"memory_profile", "memory_profile", "memory_profile", of->memory},
                 {"model", "network", "network", &s->totals},
                 {"link", "link", "link", strncmp(name, "link.", 5) == 0 ? find_link(s, &link) : NULL}};
  for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
    if (strncmp(name, records[i].prefix, (size_t)(dot - name)) != 0 || records[i].prefix[dot - name] != '\0') continue;
    const pm_record_type *type = pm_record_type_find(records[i].type);
    const pm_field *field = type != NULL ? pm_record_find_field(type, dot + 1) : NULL;
    if (field == NULL || records[i].record == NULL) return false;
    take_field(field, records[i].record, out);
    const char *id = (const char *)records[i].record + pm_record_find_field(type, "id")->offset;
    if (records[i].record == &s->totals) snprintf(out->source, sizeof out->source, "counted from the layers of %s", id);
    else find_source(s, records[i].kind, id, field, out);
    return true;
  }
  return false;
}

/* ---- Of the question ---- */

static void find_asked(const pm__study_subject *s, const pm_field *field, pm__study_named *out)
{
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  int count = pm_study_get_assumptions(s->study, s->given, &s->record, s->task->at.size, rows);
  bool given = pm_given_has(s->given, (int)(field - s->run_type->fields));
  snprintf(out->source, sizeof out->source, "%s", given ? "given" : "not given");
  for (int i = 0; i < count; i++)
    if (strcmp(rows[i].field, field->name) == 0)
      snprintf(out->source, sizeof out->source, "assumed: %s", rows[i].reason);
}

/* The peak of the precision of the products, and the field of the GPU that states it. */
static void find_peak(const pm__study_subject *s, pm__study_named *out)
{
  int32_t precision = pm__task_get(&s->record, s->task->at.precision);
  double peak = pm_gpu_get_matrix_peak(s->gpu, precision);
  take_number(peak, "FLOP/s", "peak of matrix multiplications at this precision, without sparsity", out);
  const pm_record_type *type = pm_record_type_find("gpu");
  for (size_t i = type->field_count; i-- > 0;) {
    const pm_field *field = &type->fields[i];
    if (strncmp(field->name, "peak_", 5) != 0 || pm_record_get_number(field, s->gpu) != peak) continue;
    find_source(s, "gpu", s->gpu->id, field, out);
    return;
  }
  snprintf(out->source, sizeof out->source, "of the GPU's tensor cores and clock");
}

/* Of one step, call or request. */
static bool find_whole(const pm__study_subject *s, const char *name, pm__study_named *out)
{
  const pm__task_outcome *o = &s->outcome;
  bool serves = pm__study_serves(s);
  snprintf(out->source, sizeof out->source, "of this run");
  if (strcmp(name, "rate") == 0)
    take_number(o->throughput, "1/s", serves ? "requests per second" : "samples per second", out);
  else if (strcmp(name, "samples") == 0)
    take_number(serves ? 1 : o->throughput * o->time, "1", serves ? "one request" : "samples of all GPUs", out);
  else if (strcmp(name, "tokens") == 0)
    take_number(serves ? pm__study_run_number(s, "osl") : s->totals.tokens, "1",
                serves ? "output tokens of a request" : "tokens of a sample", out);
  else if (strcmp(name, "goal") == 0 && s->trains)
    take_number(isnan(s->run.tokens) ? s->run.samples : s->run.tokens / s->totals.tokens, "1",
                "samples to train on: those given, or the tokens over those of a sample", out);
  else return false;
  return true;
}

/* ---- All ---- */

bool pm__study_find_named(const pm__study_subject *s, const char *name, pm__study_named *out)
{
  const char *dot = strchr(name, '.');
  memset(out, 0, sizeof *out);
  if (dot != NULL && strncmp(name, "whole.", 6) == 0) return find_whole(s, dot + 1, out);
  if (dot != NULL) return find_in_records(s, name, dot, out);
  if (strcmp(name, "peak") == 0) return find_peak(s, out), true;
  const pm_field *answer = pm_record_find_field(s->answer_type, name), *asked = pm_record_find_field(s->run_type, name);
  if (answer == NULL && asked == NULL) return false;
  take_field(answer != NULL ? answer : asked, answer != NULL ? s->answers : (const void *)&s->record, out);
  if (answer != NULL) snprintf(out->source, sizeof out->source, "predicted: explain %s", name);
  else find_asked(s, asked, out);
  return true;
}

double pm__study_named_number(const void *subject, const char *name)
{
  pm__study_named found;
  return pm__study_find_named((const pm__study_subject *)subject, name, &found) ? found.number : (double)NAN;
}
