/*
** Rates of one GPU beside those of several on the same host. A host whose GPUs cannot reach each other's memory shows
** it: a GPU among several is far slower than alone.
*/
#ifndef PM_LAB_VALIDATION_PEERS_H
#define PM_LAB_VALIDATION_PEERS_H

#include "validation/readings.h"

typedef struct pm__lab_single {
  char what[PM_TEXT_MAX * 4], host[PM_TEXT_MAX]; /* source, model, software, GPU, precision; and on which host */
  double rate;
} pm__lab_single;

typedef struct pm__lab_singles {
  pm__lab_single *items;
  size_t count, capacity;
} pm__lab_singles;

/* Gathers the rows of one GPU for which a reading decides "peers". */
int pm__lab_singles_read(pm__lab_singles *singles, const pm__lab_readings *readings, const pm__csv *table,
                         const int columns[PM__COLUMNS], pm_error *error);
void pm__lab_singles_free(pm__lab_singles *singles);

/* What each GPU of the row does of what one does alone: on the same host, else by the median of all hosts of the
** source. NAN if the table has no such row. */
double pm__lab_singles_share(const pm__lab_singles *singles, const pm__lab_row *row);

#endif
