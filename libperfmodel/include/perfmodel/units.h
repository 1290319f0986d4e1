/*
** Quantities and numbers as text.
**
** A quantity is a number with its unit: "900 GB/s", "100 Gbit/s", "16 GiB", "1.28 us", "15.7 TFLOP/s", "2.7 GHz".
** Decimal (k M G T P E) and binary (Ki Mi Gi Ti Pi) prefixes are both supported and never guessed; B is a byte and bit
** is a bit. A quantity without its unit is an error, except for a plain count, whose unit is "1".
**
**     double bandwidth;
**     pm_quantity_parse("100 Gbit/s", "B/s", &bandwidth, &error);      -> 1.25e10
**
** Numbers are read and written the same in every locale, with no call to setlocale. Cost: 100 to 200 ns each.
*/
#ifndef PERFMODEL_UNITS_H
#define PERFMODEL_UNITS_H

#include <stddef.h>
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PM_NUMBER_MAX 32 /* bytes that hold any number as text */

/* Reads `text` as a quantity of the SI unit `unit` ("B/s", "s", "FLOP/s", "B", "Hz", "W", "1", ...) into *value.
** "unlimited" is INFINITY and "unknown" is NAN. Errors: PM_STATUS_BAD_UNIT, PM_STATUS_BAD_VALUE; *value is then
** untouched. */
PM_API int pm_quantity_parse(const char *text, const char *unit, double *value, pm_error *error);

/* Writes `value`, an SI number of `unit`, for a person: "900 GB/s", "1.28 us", four digits. Returns buffer. */
PM_API char *pm_quantity_format(char *buffer, size_t size, double value, const char *unit);

/* Reads a plain decimal number ("1e-3", "64"); the whole text must be the number. Returns PM_OK or PM_STATUS_BAD_VALUE.
** */
PM_API int pm_number_parse(const char *text, double *value);

/* Writes the shortest text that reads back to the same double; "inf" and "nan" for those. Returns buffer, which
** must hold PM_NUMBER_MAX bytes. */
PM_API char *pm_number_format(char *buffer, double value);

#ifdef __cplusplus
}
#endif
#endif
