/*
** Packed rows: one measured quantity of one run, in the terms of the catalogue. Columns are the fields of the task's
** run record by name, and
**
**     network, system, framework   entries of the catalogue; a network with parameters: "gpt layers=24 hidden=2048"
**     quantity, rank, value        what was measured, of which stage, in SI units (validation/quantity.h)
**     id, source, words            which row it is, who published it, and in which words
**     framework_version            a release or a month, which tells repeats of a run apart
**     use, check                   fit, check or skip, and why: constants are fitted to rows of use "fit" alone
**
** What is not given is completed as `predict` completes it. A cell may name several values of one field: the fastest
** run counts. A row with a cell that is no field of the run is refused: it says something that would not be predicted.
*/
#ifndef PM_LAB_VALIDATION_PACKED_ROW_H
#define PM_LAB_VALIDATION_PACKED_ROW_H

#include "validation/rate.h"

/* Whether a table is one of packed rows: it has a column "quantity". */
bool pm__lab_packed_is(const pm__csv *table);

/* PM_OK, or which of the columns is missing. */
int pm__lab_packed_check(const pm__csv *table, const char *file, pm_error *error);

/* Whether the row measures memory; not if its quantity is unknown. */
bool pm__lab_packed_is_memory(const pm__lab_rate_reader *reader, const pm__lab_row *row);

/* Reads row `row->line` of the reader's table. The error says why it cannot be predicted. */
int pm__lab_packed_read(const pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate,
                        pm_error *error);

/* Whether the network has experts. */
bool pm__lab_packed_is_moe(const pm_network *network, const pm_run *run);

/* "moe h100-sxm5 interleaved zero-1 Megatron-Bridge": the network's kind, how it was parallelized, who measured it. */
void pm__lab_packed_plan_group(const pm__lab_rate *rate, const pm__lab_row *row, const pm_network *network, char *group,
                               size_t size);

/* "allocator_peak last, dense Megatron-LM, ok": what was measured, by whom, and whether that is in doubt. */
void pm__lab_packed_group(const pm__lab_rate *rate, const pm__lab_row *row, const pm_network *network, char *group,
                          size_t size);

#endif
