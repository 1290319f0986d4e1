/*
** Inputs and results: the order of columns in a table that has both.
*/
#ifndef PM_REPORT_ORDER_H
#define PM_REPORT_ORDER_H

#include "perfmodel/table.h"

/* Marks the columns so far as inputs; the following ones are results. */
void pm__table_mark_given(pm_table *table);

/* Makes the column a main column; the others are then shown only on request. */
void pm__table_mark_main(pm_table *table, const char *name);

/* Moves that column after all main columns. */
void pm__table_move_behind(pm_table *table, const char *name);

/* Orders main inputs first, then main results, other results, and other inputs. */
int pm__table_order(pm_table *table, pm_error *error);

#endif
