/* The stages of the input path, from storage to the GPUs of a node. */
#ifndef PM_INPUT_STAGES_H
#define PM_INPUT_STAGES_H

#include "base/base.h"
#include "perfmodel/input.h"

/* Rates of the stages of one node [1/s], unlimited if there is no such stage, and their basis. */
typedef struct pm__input_rates {
  double rate[PM_INPUT_STAGE_COUNT];
  int32_t calibration[PM_INPUT_STAGE_COUNT]; /* none of the GPUs, whose rate is given */
  double bytes;          /* stored, per sample */
  double storage, uplink, gateway; /* of the whole system, in samples per second that are really read */
  double cached, hits;
} pm__input_rates;

/* The run must have passed its check. */
void pm__input_stages(const pm_input_setup *setup, const pm_input_run *run, pm__input_rates *stages);

/* Hit ratio in steady state, each epoch in a fresh random order (but for PM_CACHE_POLICY_SEQUENTIAL), when `cached` of
** the samples fit. NAN if that is not within 0 and 1. */
double pm__cache_get_hits(double cached, int policy);

/* Cores' worth of `workers` on `cores` physical cores, clocks included. */
double pm__decode_get_cores(const pm_decoder *decoder, double workers, double cores);

/* Time of decoding and augmenting one sample of that many pixels and stored bytes on one core [s]. */
double pm__decode_get_time(const pm_decoder *decoder, const pm_loader *loader, double pixels, double bytes);

/* Share of the time that a consumer works behind a buffer of `prefetch` batches, when the producer is `ratio` times as
** fast; variations are squared coefficients of variation. NAN if an argument is negative or unknown. */
double pm__prefetch_get_efficiency(double ratio, double input_variation, double gpu_variation, double prefetch);

/* Time of a step of `batch` samples with what the host copy and updating take [s]: a GPU of that memory bandwidth, a
** network of that many parameters, `sample_time` of computation each. */
double pm__input_get_step_time(const pm_loader *loader, double memory_bandwidth, double parameters,
                                     double sample_time,
                          double batch);

#endif
