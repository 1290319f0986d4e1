/* What a row of published rates says, in terms of the catalogue. */
#ifndef PM_LAB_VALIDATION_RATE_H
#define PM_LAB_VALIDATION_RATE_H

#include "validation/machines.h"
#include "validation/peers.h"
#include "validation/predictor.h"
#include "validation/quantity.h"
#include "validation/readings.h"

enum { PM__MICRO_BATCHES = 8 };

typedef struct pm__lab_rate {
  int network, system, profile; /* of the predictor */
  char framework[PM_TEXT_MAX], gpu[PM_TEXT_MAX];
  int gpus, nodes; /* GPUs of each node */
  char about[16]; /* the first word of its group; empty: by its unit */
  double batch, accumulation;
  int32_t precision, optimizer;
  pm_run plan;     /* degrees of parallelism, ZeRO, recomputation */
  pm_inference_run call; /* of a packed row of inference */
  double micro_batch[PM__MICRO_BATCHES]; /* sizes of which the fastest counts; NAN: of the plan */
  int micro_batches;
  const pm__lab_quantity *quantity;
  int rank;          /* whose memory it is */
  const char *unfit; /* why no constant is fitted to a packed row; NULL: the readings decide */
  const char *check; /* what those who collected a packed row say of it; NULL */
  double items;    /* what is counted, for each sample */
  double measured; /* in the row's unit */
  bool each;       /* the unit is for each GPU */
  bool latency;    /* what was measured is the latency [ms] */
  bool generic;    /* nothing says which framework it was */
  bool no_peers;   /* its processes reach each other over the host's sockets alone */
} pm__lab_rate;

typedef struct pm__lab_rate_reader {
  const pm_catalog *catalog;
  const pm__csv *table;
  pm__lab_readings readings;
  pm__lab_singles singles;
  pm__lab_machines *machines;
  pm__lab_predictor *predictor;
  const char *set; /* as the conditions of readings name it */
  int32_t task;
  bool inference; /* rates of inference, or latencies */
  bool packed;    /* the table has packed rows */
} pm__lab_rate_reader;

/* The table is that of the rows that are read: packed rows, or in the words of a source, which the readings of the
** catalogue explain. `file` is how messages call it. */
int pm__lab_rate_reader_open(pm__lab_rate_reader *reader, const pm_catalog *catalog, const char *set,
                             const pm__csv *table, const char *file, pm_error *error);
void pm__lab_rate_reader_close(pm__lab_rate_reader *reader);

/* Reads a row, whose date it sets. The error says why it cannot be predicted. */
int pm__lab_rate_read(pm__lab_rate_reader *reader, pm__lab_row *row, pm__lab_rate *rate, pm_error *error);

/* Whether the row belongs to one of a list separated by commas: "gpu=NAME", "machine=NAME" (of the catalogue, or as the
** row has it), "source=NAME", or the name of a source alone. */
bool pm__lab_rate_is_of(const pm__lab_rate_reader *reader, const pm__lab_row *row, const pm__lab_rate *rate,
                        const char *list);

/* The run of training that a row is of, with one of its micro-batches; or its call. */
pm_run pm__lab_rate_run(const pm__lab_rate *rate, int micro_batch);
pm_inference_run pm__lab_rate_inference(const pm__lab_rate *rate);

/* What is counted, for each predicted sample. */
double pm__lab_rate_scale(const pm__lab_rate *rate);

/* "vision tf1-nchw v100-sxm2-16gb fp16 n-gpu DeepLearningExamples". Images in three dimensions are volumes. */
void pm__lab_rate_group(const pm__lab_rate *rate, const pm__lab_row *row, const pm_network *network, char *group,
                        size_t size);

#endif
