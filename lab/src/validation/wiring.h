/* A machine by how a table says that it is wired, where no entry of the catalogue has its name. */
#ifndef PM_LAB_VALIDATION_WIRING_H
#define PM_LAB_VALIDATION_WIRING_H

#include "perfmodel.h"

enum { PM__WIRING_LONGEST = 3 * PM_TEXT_MAX };

/* The id of a system for "H100 HGX (Nebius, 8x400G IB)" with `gpus` GPUs on each of `nodes` nodes: an entry of the
** catalogue, or one in a word, which `word` has room for (PM__WIRING_LONGEST). NULL where the text does not say which
** GPU, how the GPUs of a node are joined or, of several nodes, what joins these; with an error only if memory ran
** out. */
const char *pm__lab_wiring_find(const pm_catalog *catalog, const char *text, int gpus, int nodes, char *word,
                                pm_error *error);

#endif
