/*
** Lines that programs print while they train, one for a step or for some. A program is a descriptor: the words that
** are in each such line, and what stands behind which of its words.
*/
#ifndef PM_LAB_TRACES_STEP_LINES_H
#define PM_LAB_TRACES_STEP_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers of a line. Rates of tokens are those of one GPU, rates of samples those of all. */
typedef enum pm__lab_step_value {
  PM__STEP_NUMBER,
  PM__STEP_SECONDS,
  PM__STEP_TOKEN_RATE,
  PM__STEP_SAMPLE_RATE,
  PM__STEP_RATE,
  PM__STEP_SAMPLES,  /* of one step, all GPUs */
  PM__STEP_BATCH,    /* of one step, one GPU */
  PM__STEP_GPUS,     /* all of them */
  PM__STEP_CONSUMED, /* samples since the beginning */
  PM__STEP_ALLOCATED,
  PM__STEP_RESERVED, /* bytes of the GPU that prints */
  PM__STEP_DONE,
  PM__STEP_TOTAL,
  PM__STEP_ELAPSED, /* of a progress bar */
  PM__STEP_VALUES
} pm__lab_step_value;

/* NAN: not in the line. */
typedef struct pm__lab_step {
  double value[PM__STEP_VALUES];
  int line;
} pm__lab_step;

/* A word of a line, and what the number behind it is, times `factor` in SI units. */
typedef struct pm__lab_step_word {
  const char *word;
  pm__lab_step_value is;
  double factor;
} pm__lab_step_word;

/* How the time of a step follows from the lines. */
typedef enum pm__lab_step_timing {
  PM__TIMING_LINES,   /* each line has it; the median counts */
  PM__TIMING_BAR,     /* a progress bar: what passes between its lines */
  PM__TIMING_SUMMARY, /* one record for the whole run, over several lines or one */
} pm__lab_step_timing;

typedef struct pm__lab_step_program {
  const char *name, *framework; /* framework: what it runs on, unless another is given; "": what a run completes to */
  const char *marks[3];         /* all of them are in every line */
  pm__lab_step_timing timing;
  bool accumulates;     /* a bar of it counts micro-batches */
  const char *check;    /* why no constant is fitted to a summary of it */
  pm__lab_step_word words[8]; /* up to one without a word */
} pm__lab_step_program;

/* The program that wrote a log; NULL if none of them did. The summary that it has besides, or NULL. */
const pm__lab_step_program *pm__lab_step_program_of(const char *text);
const pm__lab_step_program *pm__lab_step_summary_of(const char *text);

enum { PM__STEP_LINE = 4096 };

/* The next line, cut to its first PM__STEP_LINE bytes, without colours; returns what follows it. A progress bar draws
** itself again after '\r', which ends a line too. */
const char *pm__lab_step_line(const char *text, char line[PM__STEP_LINE]);

/* Whether the line is a bar of another loop than training. */
bool pm__lab_step_is_other(const char *line);

/* Whether the line is one of the program's, and its numbers. */
bool pm__lab_step_read(const pm__lab_step_program *program, const char *line, pm__lab_step *step);

/* The number behind a word of the text, NAN if there is none: "tps: 5,762", "global batch size:  1024". */
double pm__lab_step_number(const char *text, const char *word);

#endif
