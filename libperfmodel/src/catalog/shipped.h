/*
** The shipped catalogue as written by libperfmodel/compile when the library is built: checked, and in constants without
** pointers, so nothing has to be read, checked or relocated at startup. An entry is created when it is first requested,
** and kept with the catalogue.
*/
#ifndef PM_CATALOG_SHIPPED_H
#define PM_CATALOG_SHIPPED_H

#include "catalog/entry.h"

/* All members are positions: `file` in the text, the others in the numbers. Numbers are stored in groups of 7 bits, the
** lowest first, each but the last with 128 added: most are small, which halves the catalogue. */
typedef struct pm__shipped_entry {
  uint32_t file;
  uint32_t names;   /* how many; id, name and aliases in the text */
  uint32_t blocks;  /* of its file: how many; their elements in the numbers */
  /* name, text, line, numbers of attributes and children; the attributes' names and values; children */
  uint32_t element;
} pm__shipped_entry;

extern const unsigned char pm__shipped_text[];
extern const unsigned char pm__shipped_numbers[];
extern const pm__shipped_entry pm__shipped_entries[];
/* the first entry of each kind; at the end, their number */
extern const uint32_t pm__shipped_first[PM__KINDS + 1];
extern const pm__names_place pm__shipped_places[];
extern const uint32_t pm__shipped_name_count, pm__shipped_name_capacity;

pm__shipped *pm__shipped_new(void); /* none is made yet; NULL if there is no memory */
void pm__shipped_free(pm__shipped *shipped);

size_t pm__shipped_count(int kind);
const char *pm__shipped_name(int kind, size_t position, size_t which); /* as pm__catalog_name */

/* The entry, made when it is first asked for. Threads may do so at the same time. */
int pm__shipped_open(pm__shipped *shipped, int kind, size_t position, const pm__entry **entry, pm_error *error);

#endif
