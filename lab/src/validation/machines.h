/* Which machine of the catalogue a row of a published table was measured on. */
#ifndef PM_LAB_VALIDATION_MACHINES_H
#define PM_LAB_VALIDATION_MACHINES_H

#include "perfmodel.h"
#include "validation/readings.h"

typedef struct pm__lab_machines pm__lab_machines;

/* The machines of a catalogue, which must outlive them. */
pm__lab_machines *pm__lab_machines_new(const pm_catalog *catalog, pm_error *error);
void pm__lab_machines_free(pm__lab_machines *machines);

/* The id of the system that the row names, with its GPU and at least `gpus` of them on each of its `nodes` (0: not
** said). Without a system in the row: the GPU's own entry for one GPU by itself, else the smallest system with the GPU,
** else for two to eight cards the usual server for them, in one word. NULL with an error for what is not surely known:
** another form or memory of the GPU, a name of which only a part is an entry's. */
const char *pm__lab_machines_find(pm__lab_machines *machines, const pm__lab_row *row, int gpus, int nodes,
                                  pm_error *error);

/* The id of the system that a text says the wiring of (validation/wiring.h); NULL if it does not, with an error only if
** memory ran out. */
const char *pm__lab_machines_find_wired(pm__lab_machines *machines, const char *text, int gpus, int nodes,
                                        pm_error *error);

/* GPUs of a node of the system of that id; of one in a word or a GPU too. 0 with an error only if memory ran out. */
int pm__lab_machines_gpus(const pm__lab_machines *machines, const char *id, pm_error *error);

#endif
