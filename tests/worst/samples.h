/*
** One text for each thing that is read: every file of the tests' folders of samples, an entry of every kind of the
** catalogue, and a configuration for every line of the tables of model types.
*/
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stdbool.h>

typedef bool sample_reader(const char *text); /* whether the text is taken */

typedef struct sample {
  char name[120];
  sample_reader *read;
  char *text;
  bool is_machine; /* GPUs of a node are joined in pairs */
} sample;

/* How many there are. */
int samples_find(void);
const sample *samples_get(int number);

/* What of the tables of readers has no sample that is taken; "": nothing. */
const char *samples_missing(void);

#endif
