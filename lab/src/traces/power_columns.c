/* Splits lines of power logs, and knows the titles of their columns. */
#include "traces/power_columns.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool ends_cell(char c, bool blanks)
{
  return blanks ? c == ' ' || c == '\t' : c == ',';
}

static void set_cell(char *cell, const char *text, size_t length)
{
  while (length > 0 && isspace((unsigned char)*text)) text++, length--;
  while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
  snprintf(cell, PM__LAB_POWER_CELL, "%.*s", (int)(length < PM__LAB_POWER_CELL ? length : PM__LAB_POWER_CELL - 1),
           text);
}

void pm__lab_power_split(pm__lab_power_line *line, const char *text, size_t length, bool blanks)
{
  const char *end = text + length;
  line->count = 0;
  while (text < end && line->count < PM__LAB_POWER_CELLS) {
    const char *start = text;
    if (blanks && isspace((unsigned char)*text)) {
      text++;
      continue;
    }
    while (text < end && !ends_cell(*text, blanks)) text++;
    set_cell(line->cell[line->count++], start, (size_t)(text - start));
    if (text < end) text++;
  }
}

/* ---- Titles ---- */

/* Units stand in brackets behind a title: "power.draw [W]". */
static bool is_title(const char *cell, const char *title)
{
  size_t length = strlen(title);
  for (size_t i = 0; i < length; i++)
    if (tolower((unsigned char)cell[i]) != title[i]) return false;
  return cell[length] == '\0' || strncmp(cell + length, " [", 2) == 0;
}

/* The column with the first of these titles that there is, or -1. */
static int find(const pm__lab_power_line *line, const char *const *titles)
{
  for (; *titles != NULL; titles++)
    for (int i = 0; i < line->count; i++)
      if (is_title(line->cell[i], *titles)) return i;
  return -1;
}

#define FIND(line, ...) find(line, (const char *const[]){__VA_ARGS__, NULL})

static int find_energy(const pm__lab_power_line *line)
{
  for (int i = 0; i < line->count; i++) {
    size_t length = strlen(line->cell[i]);
    if (strncmp(line->cell[i], "gpu", 3) == 0 && length > 7 && strcmp(line->cell[i] + length - 7, "_energy") == 0)
      return i;
  }
  return -1;
}

static const pm__lab_power_columns none = {NULL, false, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0};

/* nvidia-smi --query-gpu, rocm-smi --csv and Zeus part cells by commas. */
static pm__lab_power_columns comma_header(const pm__lab_power_line *line)
{
  pm__lab_power_columns c = none;
  c.power = FIND(line, "power.draw", "power.draw.average", "power.draw.instant");
  if (c.power >= 0) c.program = "nvidia-smi";
  else if ((c.power = FIND(line, "average graphics package power (w)",
                           "current socket graphics package power (w)")) >= 0)
    c.program = "rocm-smi";
  else if ((c.energy = find_energy(line)) >= 0 && FIND(line, "elapsed_time") >= 0) c.program = "Zeus";
  else if ((c.power = FIND(line, "power")) >= 0 && FIND(line, "time", "timestamp") >= 0) c.program = "Zeus";
  c.use = FIND(line, "utilization.gpu", "gpu use (%)");
  c.time = FIND(line, "timestamp", "time", "start_time");
  c.gpu = FIND(line, "uuid", "gpu_uuid", "index", "pci.bus_id", "gpu_bus_id", "device", "gpu_index", "gpu");
  c.name = FIND(line, "name", "gpu_name", "card series", "card model");
  c.limit = FIND(line, "power.limit", "enforced.power.limit", "max graphics package power (w)");
  c.window = FIND(line, "window_name");
  c.took = FIND(line, "elapsed_time");
  return c;
}

/* nvidia-smi dmon: "# gpu pwr gtemp", "#Time gpu pwr"; dcgmi dmon: "#Entity POWER GPUTL". */
static pm__lab_power_columns blank_header(const pm__lab_power_line *line)
{
  pm__lab_power_columns c = none;
  bool entity = is_title(line->cell[0], "entity");
  c.blanks = true;
  c.gpu = entity ? 0 : FIND(line, "gpu");
  c.power = entity ? FIND(line, "power") : FIND(line, "pwr");
  c.use = FIND(line, "gputl", "gract", "sm");
  c.first = entity ? 1 : 0;
  if (c.gpu >= 0 && c.power >= 0) c.program = entity ? "dcgmi" : "nvidia-smi dmon";
  return c;
}

pm__lab_power_columns pm__lab_power_header(const char *text, size_t length)
{
  pm__lab_power_line line;
  bool marked = length > 0 && text[0] == '#';
  if (marked) text++, length--;
  pm__lab_power_split(&line, text, length, marked);
  pm__lab_power_columns c = line.count == 0 ? none : marked ? blank_header(&line) : comma_header(&line);
  return c.program != NULL ? c : none;
}
