/*
** What was asked and what is answered: columns of a table that has both.
*/
#ifndef PM_REPORT_ORDER_H
#define PM_REPORT_ORDER_H

#include "perfmodel/table.h"

/* Says that the columns so far are what was asked: those that come are the answers. */
void pm__table_mark_given(pm_table *table);

/* Says that people are shown the column without asking; the others then only where they ask. */
void pm__table_mark_main(pm_table *table, const char *name);

/* Puts that column behind all that are main. */
void pm__table_move_behind(pm_table *table, const char *name);

/* Puts what was asked and is main first, then the main results, the other results, and the rest of what was asked. */
int pm__table_order(pm_table *table, pm_error *error);

#endif
