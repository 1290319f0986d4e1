/* The parts of a system in one word: GPU, number of GPUs, their topology, and the network. */
#ifndef PM_CATALOG_WORD_PARTS_H
#define PM_CATALOG_WORD_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* Parts of the name itself, without the blanks around them. */
typedef struct pm__catalog_part {
  const char *text;
  int length;
} pm__catalog_part;

typedef struct pm__catalog_parts {
  pm__catalog_part gpu;
  pm__catalog_part count; /* length 0 if it is not said */
  pm__catalog_part topology; /* likewise */
  const char *network; /* "8xinfiniband-ndr", to the end of the name; NULL if it is not said */
} pm__catalog_parts;

/*
** "h100*8:nvswitch+8xinfiniband-ndr", "8xH100", "4 x A100", "h100x8", and "h100:8" of batch systems. False for another
** form. A name such as "gtx1080" has the form of "gt x 1080": the caller checks whether such a GPU exists.
*/
bool pm__catalog_split(const char *name, pm__catalog_parts *parts);

#endif
