/* Finds hosts whose GPUs cannot reach each other's memory by their rates alone and together. */
#include "validation/peers.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of a host without how many GPUs were used: "8xA100_p4" -> "A100_p4". */
static void host_of(const char *system, char *host, size_t size)
{
  size_t used = 0;
  for (const char *p = system; *p != '\0' && used + 1 < size;) {
    bool start = p == system || !isalnum((unsigned char)p[-1]);
    size_t digits = start ? strspn(p, "0123456789") : 0;
    if (digits > 0 && p[digits] == 'x') p += digits + 1;
    else host[used++] = *p++;
  }
  host[used] = '\0';
}

static void describe(const pm__lab_row *row, pm__lab_single *out)
{
  snprintf(out->what, sizeof out->what, "%.60s|%.60s|%.60s|%.40s|%.20s|%.20s|%.20s", row->cell[PM__COLUMN_REPOSITORY],
           row->cell[PM__COLUMN_MODEL], row->cell[PM__COLUMN_VERSION], row->cell[PM__COLUMN_GPU],
           row->cell[PM__COLUMN_MEMORY], row->cell[PM__COLUMN_PRECISION], row->cell[PM__COLUMN_UNIT]);
  host_of(row->cell[PM__COLUMN_SYSTEM], out->host, sizeof out->host);
  out->rate = pm__lab_row_number(row, PM__COLUMN_THROUGHPUT);
}

static int add(pm__lab_singles *singles, const pm__lab_row *row, pm_error *error)
{
  pm__lab_single *items = (pm__lab_single *)pm__grow(singles->items, singles->count, &singles->capacity, sizeof *items);
  if (items == NULL) return pm__no_memory(error);
  singles->items = items;
  describe(row, &items[singles->count++]);
  return PM_OK;
}

int pm__lab_singles_read(pm__lab_singles *singles, const pm__lab_readings *readings, const pm__csv *table,
                         const int columns[PM__COLUMNS], pm_error *error)
{
  int status = PM_OK;
  for (size_t line = 1; line < table->rows && status == PM_OK; line++) {
    pm__lab_row row;
    char value[PM__VALUE_LONGEST];
    pm__lab_row_get(table, line, columns, &row);
    bool single = pm__lab_row_number(&row, PM__COLUMN_GPUS) == 1 && pm__lab_row_number(&row, PM__COLUMN_THROUGHPUT) > 0;
    if (single && pm__lab_readings_decide(readings, PM_DECISION_PEERS, &row, value) != NULL)
      status = add(singles, &row, error);
  }
  return status;
}

void pm__lab_singles_free(pm__lab_singles *singles)
{
  free(singles->items);
  memset(singles, 0, sizeof *singles);
}

/* The median rate of the singles that are like it, on its host or on any; NAN without any. */
static double rate_alone(const pm__lab_singles *singles, const pm__lab_single *like, bool same_host, double *room)
{
  size_t n = 0;
  for (size_t i = 0; i < singles->count; i++) {
    const pm__lab_single *s = &singles->items[i];
    if (strcmp(s->what, like->what) == 0 && (!same_host || strcmp(s->host, like->host) == 0)) room[n++] = s->rate;
  }
  return n > 0 ? pm__quantile(room, n, 0.5) : (double)NAN;
}

double pm__lab_singles_share(const pm__lab_singles *singles, const pm__lab_row *row)
{
  pm__lab_single like;
  double *room = (double *)malloc((singles->count + 1) * sizeof *room);
  if (room == NULL) return (double)NAN;
  describe(row, &like);
  double alone = rate_alone(singles, &like, true, room);
  if (isnan(alone)) alone = rate_alone(singles, &like, false, room);
  free(room);
  return like.rate / pm__lab_row_number(row, PM__COLUMN_GPUS) / alone;
}
