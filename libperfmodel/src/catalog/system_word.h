/* Systems in one word, "h100-sxm5*8:nvswitch". */
#ifndef PM_CATALOG_SYSTEM_WORD_H
#define PM_CATALOG_SYSTEM_WORD_H

#include "catalog/entry.h"

pm__catalog_words *pm__catalog_words_new(void); /* NULL if there is no memory */
void pm__catalog_words_free(pm__catalog_words *words);

/* Its entry, which lives as long as the catalogue is not loaded into, or an error that says the choices. */
int pm__system_word(const pm_catalog *catalog, const char *name, const pm__entry **entry, pm_error *error);

#endif
