/* Cells of tables of the user's own: numbers, units, precisions and versions as people spell them. */
#ifndef PM_LAB_TRACES_OWN_CELLS_H
#define PM_LAB_TRACES_OWN_CELLS_H

#include <stdbool.h>
#include <stddef.h>

enum { PM__LAB_OWN_UNIT = 40 };

/* A rate in units of ours; `steps`: its inverse, the time of a step, is what is written. */
typedef struct pm__lab_own_unit {
  char name[PM__LAB_OWN_UNIT]; /* "images/s", "tokens/s/GPU"; "" for none */
  double factor;           /* "kimg/min": 1000 / 60; of the time of a step, seconds */
  bool steps;
} pm__lab_own_unit;

/* Whether a word is one of those between commas, without case and punctuation. */
bool pm__lab_own_is_one_of(const char *word, const char *list);

/* False if it is no rate that people write so. */
bool pm__lab_own_unit_read(const char *text, pm__lab_own_unit *unit);

/* The decimal mark of a table: '.' or ',', or 0 where nothing tells. */
char pm__lab_own_decimal_mark(const char *cell);

/* A number as the library reads it, in the cell. False if it may be two numbers, a thousand times apart; `mark` is
** what numbers of the table have before decimals (0: unknown), `commas` whether commas part its cells. What is no
** number stays as it is. */
bool pm__lab_own_number(char *cell, size_t size, char mark, bool commas);

void pm__lab_own_precision(char *cell, size_t size);

/* "8x A100" or "A100 x8": the count, which is taken off; 0 if there is none. */
int pm__lab_own_count(char *gpu);

/* A release of PyTorch gets the word by which the catalogue's rules know it. */
void pm__lab_own_version(char *cell, size_t size);

/* Whether the name of a framework holds a release of PyTorch or of NVIDIA's containers, which becomes `version`. */
bool pm__lab_own_release(const char *framework, char *version, size_t size);

#endif
