/* What is done while memory runs out: the public functions that allocate, each with something small to do. */
#ifndef PM_TESTS_WORKS_H
#define PM_TESTS_WORKS_H

#include <stdbool.h>
#include "perfmodel.h"

typedef struct work {
  const char *name;
  int (*act)(pm_error *error); /* returns a status, with its error */
  bool fresh;                  /* in a catalogue of its own, since the first use of an entry opens it */
  bool xml;                    /* libxml2 is used */
  /* tries begin with every allocation; each following step is longer by a part in so many */
  int every;
} work;

extern const work catalog_works[], model_works[], study_works[], lab_works[]; /* ended by one without a name */

/* What works use, made before anything fails. */
typedef struct fixtures {
  pm_catalog *catalog; /* with every entry opened, or new if the work is in a fresh one */
  pm_network *network, *decoder;
  pm_system *system, *large;
  pm_plan *plan;
} fixtures;

extern fixtures with;

/* Each reads what a work made, frees it, and adds it to the answer by which a work that succeeded is known to have
** given the right one; memory does not fail any more from there. They return PM_OK, or the error's status for NULL. */
int took_text(char *text, const pm_error *error);
int took_table(pm_table *table, const pm_error *error);
int took_number(double number);

#endif
