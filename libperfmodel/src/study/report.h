/*
** What a report says. Each block is a descriptor in a file of its own (blocks/), which has for every kind of answer a
** function that adds its lines; blocks/blocks.h lists them in the order of reading. A further kind of answer is one
** more member of pm__study_answer, and a function in those blocks that it has.
*/
#ifndef PM_STUDY_REPORT_H
#define PM_STUDY_REPORT_H

#include "perfmodel/pipeline.h"
#include "report/report.h"
#include "study/study.h"

/* What a report may be of. */
typedef enum pm__study_answer {
  PM__STUDY_STEP,        /* a prediction of training */
  PM__STUDY_CALL,        /* of inference, of one call or several */
  PM__STUDY_STEP_MEMORY, /* the memory of a step */
  PM__STUDY_CALL_MEMORY, /* the memory of a call */
  PM__STUDY_ANSWERS
} pm__study_answer;

/* What is reported, and all that the answer is made of. Of several calls, `call` and `inference` are the first. */
typedef struct pm__study_subject {
  pm__study_answer answer;
  const pm_study *study;
  const pm_plan *plan;
  const pm_given *given;
  const pm_network *network;
  pm_network_totals totals;
  const pm_system *system;
  const pm_machine *machine;
  const pm_gpu *gpu;
  char assumed[512];
  /* Training. */
  pm_run run;
  pm_prediction step;
  const pm_framework_profile *framework; /* NULL: none */
  const char *dataset;                   /* NULL: not named */
  /* Inference. */
  pm_inference_run call;
  pm_inference inference;
  const pm_inference *calls;
  size_t call_count;
  double latency; /* limit; NAN: none */
  const pm_inference_profile *profile;
  pm_table *rows; /* of several calls */
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
  pm__study_fill *fill[PM__STUDY_ANSWERS]; /* NULL: such reports do not have it */
} pm__study_block;

/* ---- Words that blocks share (words.c) ---- */

enum { PM__STUDY_SENTENCE = 2048 };

/* A field of the run, or of the call, as text. */
const char *pm__study_field(const pm__study_subject *subject, const char *name, char text[PM_TEXT_MAX]);

/* "does not fit" of a verdict; "Not calibrated" of a choice's name at the beginning of a sentence. */
const char *pm__study_verdict(int32_t verdict, char text[PM_TEXT_MAX]);
const char *pm__study_sentence(const char *word, char text[PM_TEXT_MAX]);

/* The run has more than one GPU, or the call; all of them. */
double pm__study_gpus(const pm__study_subject *subject);

/* ---- The same run with one change (changes.c); without memory for it, the report fails ---- */

/* The GPU's 16-bit precision, where nobody gave one and the run has 32 bits; else PM_PRECISION_FP32. */
int32_t pm__study_half(const pm__study_subject *subject);

/* Predictions in it, however much memory it needs; false without one. */
bool pm__study_step_in_half(const pm__study_subject *subject, pm_report *report, pm_prediction *prediction);
bool pm__study_call_in_half(const pm__study_subject *subject, pm_report *report, pm_inference *inference);

/* samples/s with tensors in channels_last, and with padded products; NAN where that changes nothing or is not known. */
double pm__study_channels_last_rate(const pm__study_subject *subject, pm_report *report);
double pm__study_padded_rate(const pm__study_subject *subject, pm_report *report);

/* The fastest plan of the same GPUs and samples that fits; false if none does. */
bool pm__study_find_fitting(const pm__study_subject *subject, pm_report *report, pm_run *best);

#endif
