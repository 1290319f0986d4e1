/* Arrow data from tables: the parts of a stream. Each owns what it points to, and may be moved and released alone. */
#ifndef PM_REPORT_ARROW_H
#define PM_REPORT_ARROW_H

#include "perfmodel/arrow.h"
#include "report/table_data.h"

/* How a column is stored. */
typedef enum pm__arrow_type { PM__ARROW_REAL, PM__ARROW_INT, PM__ARROW_BOOL, PM__ARROW_TEXT } pm__arrow_type;

pm__arrow_type pm__arrow_type_of(const pm__column *column);

/* All rows of a table, or its columns' names and types. false, and *out released: no memory, or beyond 2 GB of text. */
bool pm__arrow_array(const pm_table *table, struct ArrowArray *out);
bool pm__arrow_schema(const pm_table *table, struct ArrowSchema *out);

/* Another copy of the schema. */
bool pm__arrow_copy_schema(const struct ArrowSchema *schema, struct ArrowSchema *out);

#endif
