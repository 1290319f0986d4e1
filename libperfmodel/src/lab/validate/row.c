#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel/units.h"
#include "lab/validate/row.h"

typedef struct title {
  const char *text, *other;
} title;

static const title titles[PM__COLUMNS] = {
#define TITLE(name, text, other) {text, other},
  PM__COLUMN_LIST(TITLE)
#undef TITLE
};

void pm__row_columns(const pm__csv *table, int columns[PM__COLUMNS])
{
  for (int i = 0; i < PM__COLUMNS; i++) {
    columns[i] = pm__csv_column(table, titles[i].text);
    if (columns[i] < 0 && titles[i].other[0] != '\0') columns[i] = pm__csv_column(table, titles[i].other);
  }
}

void pm__row_get(const pm__csv *table, size_t index, const int columns[PM__COLUMNS], pm__row *row)
{
  for (int i = 0; i < PM__COLUMNS; i++) row->cell[i] = pm__csv_cell(table, index, columns[i]);
  snprintf(row->origin, sizeof row->origin, "%.150s %.150s", row->cell[PM__COLUMN_REPOSITORY],
           row->cell[PM__COLUMN_PATH]);
  row->date[0] = '\0';
  row->set = "";
}

const char *pm__row_cell(const pm__row *row, const char *text)
{
  for (int i = 0; i < PM__COLUMNS; i++)
    if (strcmp(titles[i].text, text) == 0) return row->cell[i];
  return NULL;
}

double pm__row_number(const pm__row *row, pm__column column)
{
  double value;
  return pm_number_parse(row->cell[column], &value) == PM_OK ? value : (double)NAN;
}
