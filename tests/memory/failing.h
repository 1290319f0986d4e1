/*
** Memory that runs out at a chosen allocation. The functions of failing.c stand in front of the C library's for the
** whole process, so what libxml2, zlib and the C library allocate for themselves fails too.
*/
#ifndef PM_TESTS_FAILING_H
#define PM_TESTS_FAILING_H

#include <stdbool.h>

/* From here on what is allocated and not freed is counted. */
void failing_watch(void);

/* The `which`-th allocation from here fails, once or with all that follow it; 0: none does, but they are counted. */
void failing_start(long which, bool for_ever);

/* Nothing fails any more. Returns the allocations that were asked for since the start. */
long failing_stop(void);

/* Ends the watch; returns how many pieces of memory allocated since it began were not freed. */
long failing_leaks(void);

#endif
