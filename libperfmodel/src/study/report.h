/*
** The content of a report. Each block is a descriptor in its own file (blocks/), with a function that adds its lines
** for every kind of report; blocks/blocks.h lists them in reading order. A new kind of report is one more member of
** pm_report_of, and a function in its blocks. A new task needs nothing here.
*/
#ifndef PM_STUDY_REPORT_H
#define PM_STUDY_REPORT_H

#include "perfmodel/pipeline.h"
#include "report/report.h"
#include "study/study.h"
#include "task/formula.h"

/* What is reported, and all that the answer is made of. Runs and answers are records of the library's own, whatever the
** program's are; blocks read them by the names of their fields, and ask the task for what is special. */
typedef struct pm__study_subject {
  const pm_report_question *asked;
  const pm_study *study;
  const pm__task *task;
  const pm_plan *plan;
  const pm_given *given;
  const pm_network *network;
  pm_network_totals totals;
  const pm_system *system;
  const pm_machine *machine;
  const pm_gpu *gpu;
  pm_study_software software;
  char assumed[512];
  const pm_record_type *run_type, *answer_type;
  pm__task_record record; /* the run; of several, the first */
  pm__task_record answer; /* of memory: its prediction */
  const void *answers;    /* predictions */
  size_t count;           /* of them */
  pm__task_outcome outcome; /* the first */
  double latency;         /* limit; NAN: none */
  pm_table *rows;         /* of several runs */
  /* Of training, the run and its prediction again; else empty. */
  bool trains;
  pm_run run;
  pm_prediction step;
  pm_serving_choice *served; /* layouts, best first */
  size_t served_count;
  const pm_field *field; /* of the answer, that is explained */
  pm__task_formula formula;   /* of it */
  /* Memory. */
  pm_memory_use use;
  pm_stage *stages;
  int stage_count;
} pm__study_subject;

/* Adds what there is to say; nothing: the block is left out. */
typedef void pm__study_fill(const pm__study_subject *subject, pm_report *report);

/* One block. */
typedef struct pm__study_block {
  const char *title; /* "" if none */
  pm_report_style style;
  pm__study_fill *fill[PM_REPORT_OF_COUNT]; /* NULL: such reports do not have it */
} pm__study_block;

/* ---- Words that blocks share (words.c) ---- */

enum { PM__STUDY_SENTENCE = 2048 };

/* A field of the run as text; a number of it, or of the (first) answer: NAN where the task has no such field. */
const char *pm__study_field(const pm__study_subject *subject, const char *name, char text[PM_TEXT_MAX]);
double pm__study_run_number(const pm__study_subject *subject, const char *name);
double pm__study_number(const pm__study_subject *subject, const char *name);

/* The name, or what it means, of a choice of a record's field. */
const pm_choice *pm__study_choice(const char *record, const char *field, int32_t value);

/* "300B tokens": what is trained on, tokens or else samples. */
const char *pm__study_amount(double tokens, double samples, char text[PM__REPORT_WORD]);

/* "does not fit" of a verdict; "Not calibrated" of a choice's name at the beginning of a sentence. */
const char *pm__study_verdict(int32_t verdict, char text[PM_TEXT_MAX]);
const char *pm__study_sentence(const char *word, char text[PM_TEXT_MAX]);

/* "Training", "Inference of": the beginning of a title. */
const char *pm__study_title(const pm__study_subject *subject, char text[PM_TEXT_MAX]);

/* GPUs of the run, all of them. */
double pm__study_gpus(const pm__study_subject *subject);

/* Requests to a model that is served: answers have a time to first token. */
bool pm__study_serves(const pm__study_subject *subject);

/* Costs are no columns where no price was given. */
void pm__study_hide_costs(const pm__study_subject *subject, pm_table *table);

/* There is one prediction, and it is good. */
bool pm__study_predicted(const pm__study_subject *subject);

/* ---- The same run with one change (changes.c); without memory for it, the report fails ---- */

/* The GPU's 16-bit precision, where none was given and the run has 32 bits; else PM_PRECISION_FP32. */
int32_t pm__study_half(const pm__study_subject *subject);

/* Predicts in it, however much memory it needs; false without one. */
bool pm__study_in_half(const pm__study_subject *subject, pm_report *report, pm__task_outcome *outcome);

/* samples/s with convolutions in TF32, where the run is in FP32 and its software would take TF32; else NAN. */
double pm__study_tf32_rate(const pm__study_subject *subject, pm_report *report);

/* samples/s with tensors in channels_last, and with padded products; NAN where that changes nothing or is not known. */
double pm__study_channels_last_rate(const pm__study_subject *subject, pm_report *report);
double pm__study_padded_rate(const pm__study_subject *subject, pm_report *report);

/* What fits by the least change (fitting.c), with as many samples; false if nothing does. */
bool pm__study_find_fitting(const pm__study_subject *subject, pm_report *report, pm_run *best);

#endif
