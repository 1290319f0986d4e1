/*
** A network as written in XML: blocks with parameters, repeat, branches and joins. docs/xml.md has the language.
*/
#ifndef PM_NETWORK_DEFINITION_H
#define PM_NETWORK_DEFINITION_H

#include "base/document.h"
#include "perfmodel/network.h"

/* Builds the network of a <network> element; `document` holds the <block> elements it may use. Errors have a place. */
pm_network *pm__network_build(const pm__document *document, const pm__element *network, const pm_attribute *sets,
                              size_t set_count, pm_error *error);

/* The value of an integer expression over named parameters: + - * / % ( ) comparisons, e.g. "width*4".
** `lookup` gives a parameter's value, or returns false. PM_STATUS_BAD_VALUE says what is wrong. */
int pm__expression(const char *text, bool (*lookup)(const void *scope, const char *name, size_t length, double *value),
                   const void *scope, double *value, pm_error *error);

#endif
