/* Numbers of a record that are raised together. */
#ifndef PM_SEARCH_VARY_H
#define PM_SEARCH_VARY_H

/* Multiplies every real field of that unit, so that a field that is added later is not forgotten. */
void pm__vary_unit(const char *type_name, void *record, const char *unit, double factor);

#endif
