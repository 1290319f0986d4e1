/* What a row of published rates says, in terms of the catalogue. */
#ifndef PM_LAB_VALIDATE_RATE_H
#define PM_LAB_VALIDATE_RATE_H

#include "lab/validate/machine.h"
#include "lab/validate/bench.h"
#include "lab/validate/reading.h"

typedef struct pm__rate {
  int network, system, profile; /* of the bench */
  char framework[PM_TEXT_MAX], gpu[PM_TEXT_MAX];
  int gpus, nodes; /* GPUs of each node */
  char about[16]; /* the first word of its group; empty: by its unit */
  double batch, accumulation;
  int32_t precision, optimizer;
  double items;    /* what is counted, for each sample */
  double measured; /* in the row's unit */
  bool each;       /* the unit is for each GPU */
  bool latency;    /* what was measured is the latency [ms] */
  bool generic;    /* nothing says which framework it was */
} pm__rate;

typedef struct pm__rate_reader {
  const pm_catalog *catalog;
  pm__readings readings;
  pm__machines *machines;
  pm__bench *bench;
  bool inference; /* rates of inference, or latencies */
} pm__rate_reader;

int pm__rate_reader_open(pm__rate_reader *reader, const pm_catalog *catalog, bool inference, pm_error *error);
void pm__rate_reader_close(pm__rate_reader *reader);

/* Reads a row, whose date it sets. The error says why it cannot be predicted. */
int pm__rate_read(pm__rate_reader *reader, pm__row *row, pm__rate *rate, pm_error *error);

/* The run of training that a row is of. */
pm_run pm__rate_run(const pm__rate *rate);

/* What is counted, for each predicted sample. */
double pm__rate_scale(const pm__rate *rate);

/* "vision tf1-nchw v100-sxm2-16gb fp16 n-gpu DeepLearningExamples". Images in three dimensions are volumes. */
void pm__rate_group(const pm__rate *rate, const pm__row *row, const pm_network *network, char *group, size_t size);

#endif
