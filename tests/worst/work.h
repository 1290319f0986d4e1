/* How much the code that reads files does, the same on a machine that is busy. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

/* Blocks of that code that have run, and bytes that the C library has gone over for it. */
extern uint64_t work_done;

#endif
