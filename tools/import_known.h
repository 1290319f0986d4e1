/* What options say of a file of measurements that the file may not say itself. */
#ifndef PERFMODEL_TOOLS_IMPORT_KNOWN_H
#define PERFMODEL_TOOLS_IMPORT_KNOWN_H

#include "command.h"

enum { KNOWN_MOST = 160, KNOWN_TEXT = 400 };

/* By names of columns; options come first, then settings of --run that no option gives. */
typedef struct cli_known_columns {
  pm_attribute items[KNOWN_MOST];
  size_t count, given; /* given: as options */
  char text[KNOWN_MOST][2][PM_TEXT_MAX], network[KNOWN_TEXT];
} cli_known_columns;

int read_known(const cli_request *request, cli_known_columns *known);

/* Refuses these options for a file that is not of measurements: the code is not CODE_DONE if one of them is given. */
int refuse_known(const cli_request *request, const char *what);

#endif
