/* Formulas of queues and of speculation, by themselves. */
#ifndef PM_SERVING_QUEUE_H
#define PM_SERVING_QUEUE_H

/* Erlang's C: the probability that an arrival waits, with so many servers and an offered load of `load` servers; 1 if
** that is no less than the servers. */
double pm__serving_erlang_c(double servers, double load);

/* Mean wait [s] of a queue by Allen and Cunneen: `load` servers of work, `service` s each, coefficients of variation of
** arrivals and of services. INFINITY at or above the servers. M/D/1: (1, load, service, 1, 0). */
double pm__serving_wait(double servers, double load, double service, double arrival_cv, double service_cv);

/* The probability that all places are taken where `n` requests leave at n / (alone + n each) times the rate at which
** they come: a chain of births and deaths, of which a queue of as many servers is the case each = 0, and a processor
** that all share the case alone = 0. 1 if requests come faster than they leave. */
double pm__serving_full(double places, double alone, double each);

/* The percentile of a wait of which `busy` is the probability and `mean` the mean: none below 1 - busy, exponential
** above. */
double pm__serving_wait_percentile(double percentile, double busy, double mean);

/* Tokens of a pass if `drafts` are drafted, each accepted with that probability given those before it. */
double pm__serving_accepted(double drafts, double acceptance);

#endif
