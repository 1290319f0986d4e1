/*
** Quantities: "900 GB/s" <-> 9e11 of unit "B/s". A unit is an optional prefix and a base; the base says the dimension.
**
** What people write besides is read where it has one meaning: "6 hours", "80GB", "312 TFLOPS", "25 gbps". B is a byte
** and b a bit, whatever the case of the prefix; "gb" and "gb/s", all small, are either, so they are asked about, and so
** is a size in bits.
*/
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/units.h"

/* A prefix is a power of ten, applied to the decimal text so that "1.28 us" is rounded once, or an exact factor. */
typedef struct prefix {
  const char *name;
  int shift;
  double factor;
} prefix;

static const prefix prefixes[] = {
  {"Ki", 0, 1024.0},   {"Mi", 0, 1048576.0}, {"Gi", 0, 1073741824.0}, {"Ti", 0, 1099511627776.0},
  {"Pi", 0, 1125899906842624.0}, {"k", 3, 1}, {"K", 3, 1}, {"M", 6, 1}, {"G", 9, 1}, {"T", 12, 1}, {"P", 15, 1},
  {"E", 18, 1}, {"m", -3, 1}, {"u", -6, 1}, {"\xc2\xb5", -6, 1}, {"\xce\xbc", -6, 1}, {"n", -9, 1}, {"p", -12, 1},
  {"", 0, 1},
};

typedef struct base_unit {
  const char *name; /* as a person may write it */
  const char *unit; /* the SI unit it measures */
  int shift;
  double factor;
  bool prefixed;
} base_unit;

static const base_unit bases[] = {
  {"B", "B", 0, 1, true},           {"bit", "B", 0, 0.125, true},     {"B/s", "B/s", 0, 1, true},
  {"bit/s", "B/s", 0, 0.125, true}, {"b/s", "B/s", 0, 0.125, true},   {"FLOP/s", "FLOP/s", 0, 1, true},
  {"FLOP", "FLOP", 0, 1, true},     {"MAC", "MAC", 0, 1, true},       {"s", "s", 0, 1, true},
  {"min", "s", 0, 60, false},       {"h", "s", 0, 3600, false},       {"d", "s", 0, 86400, false},
  {"Hz", "Hz", 0, 1, true},         {"W", "W", 0, 1, true},           {"FLOP/B", "FLOP/B", 0, 1, true},
  {"J/FLOP", "J/FLOP", 0, 1, true}, {"J", "J", 0, 1, true},           {"Wh", "J", 0, 3600, true},
  {"g", "g", 0, 1, true},           {"g/kWh", "g/kWh", 0, 1, true},   {"gCO2/kWh", "g/kWh", 0, 1, true},
  {"1/s", "1/s", 0, 1, false},      {"/s", "1/s", 0, 1, false},       {"samples/s", "1/s", 0, 1, true},
  {"operations/s", "1/s", 0, 1, true}, {"pixels/s", "1/s", 0, 1, true},
  {"images/s", "1/s", 0, 1, true},  {"sequences/s", "1/s", 0, 1, true}, {"%", "1", -2, 1, false},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef struct scale {
  const char *unit;
  int shift;
  double factor;
} scale;

/* Looks `text` up as a base unit with and without a prefix. */
static bool find_unit(const char *text, scale *found)
{
  for (size_t i = 0; i < COUNT(prefixes); i++) {
    size_t length = strlen(prefixes[i].name);
    if (strncmp(text, prefixes[i].name, length) != 0) continue;
    for (size_t j = 0; j < COUNT(bases); j++) {
      if (strcmp(text + length, bases[j].name) != 0 || (length > 0 && !bases[j].prefixed)) continue;
      found->unit = bases[j].unit;
      found->shift = prefixes[i].shift + bases[j].shift;
      found->factor = prefixes[i].factor * bases[j].factor;
      return true;
    }
  }
  return false;
}

/* ---- Units as people write them besides ---- */

typedef struct spelling {
  const char *written; /* B and b alone are told apart */
  const char *name;    /* a base unit, or one with its prefix */
  bool prefixed;
} spelling;

static const spelling spellings[] = {
  {"hours", "h", false}, {"hour", "h", false}, {"hrs", "h", false}, {"hr", "h", false}, {"h", "h", false},
  {"minutes", "min", false}, {"minute", "min", false}, {"mins", "min", false}, {"days", "d", false},
    {"day", "d", false},
  {"seconds", "s", false}, {"second", "s", false}, {"secs", "s", false}, {"sec", "s", false},
    {"milliseconds", "ms", false},
  {"millisecond", "ms", false}, {"msec", "ms", false}, {"microseconds", "us", false}, {"usec", "us", false},
  {"percent", "%", false}, {"watts", "W", false}, {"watt", "W", false}, {"img/s", "images/s", false},
  {"imgs/s", "images/s", false}, {"image/s", "images/s", false}, {"sample/s", "samples/s", false},
  {"B", "B", true}, {"bytes", "B", true}, {"byte", "B", true}, {"bits", "bit", true}, {"bit", "bit", true},
  {"B/s", "B/s", true}, {"Bps", "B/s", true}, {"bytes/s", "B/s", true}, {"byte/s", "B/s", true}, {"bps", "bit/s", true},
  {"bits/s", "bit/s", true}, {"bit/s", "bit/s", true}, {"flop/s", "FLOP/s", true}, {"flops/s", "FLOP/s", true},
  {"flop", "FLOP", true}, {"flops", "FLOP/s", true}, {"hz", "Hz", true},
};

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The same letters, but for the case of all that is no B or b. */
static bool same_letters(const char *a, const char *b)
{
  bool exact = lower(*a) == 'b' && strlen(b) <= strlen("B/s") && *a != *b;
  while (*a != '\0' && lower(*a) == lower(*b)) a++, b++;
  return *a == '\0' && *b == '\0' && !exact;
}

/* The letters k, m, g, ... as a large prefix in its usual case, with the i of KiB. Returns its length, 0: none. */
static size_t large_prefix(const char *text, char *large)
{
  static const char letters[] = "kmgtpe", usual[] = "kMGTPE";
  const char *at = (const char *)memchr(letters, lower(text[0]), sizeof letters - 1);
  if (at == NULL) return 0;
  bool binary = text[1] == 'i' && (text[2] == 'B' || text[2] == 'b');
  large[0] = binary && lower(text[0]) == 'k' ? 'K' : usual[at - letters];
  large[1] = binary ? 'i' : '\0';
  large[2] = '\0';
  return binary ? 2 : 1;
}

enum { UNIT_LONGEST = 32 };

/* "TB/sec" is "TB/s". Returns false for what no unit is as long as. */
static bool shorten(const char *text, char *written)
{
  static const char *const ends[] = {"/second", "/sec"};
  size_t length = strlen(text);
  if (length >= UNIT_LONGEST) return false;
  memcpy(written, text, length + 1);
  for (size_t i = 0; i < COUNT(ends); i++) {
    size_t end = strlen(ends[i]);
    if (length > end && same_letters(written + length - end, ends[i]))
      memcpy(written + length - end, "/s", sizeof "/s");
  }
  return true;
}

static bool find_spelling(const char *text, const char *unit, scale *found)
{
  char written[UNIT_LONGEST], large[3] = "", name[UNIT_LONGEST];
  if (!shorten(text, written)) return false;
  if (find_unit(written, found)) return true;
  size_t letters = large_prefix(written, large);
  for (size_t i = 0; i < COUNT(spellings); i++) {
    const spelling *s = &spellings[i];
    bool plain = same_letters(written, s->written);
    if (!plain && !(s->prefixed && letters > 0 && same_letters(written + letters, s->written))) continue;
    bool number = strcmp(s->written, "flops") == 0 && strcmp(unit, "FLOP") == 0; /* so many operations, no rate */
    snprintf(name, sizeof name, "%s%s", plain ? "" : large, number ? "FLOP" : s->name);
    return find_unit(name, found);
  }
  return false;
}

/* "80 gb" of a size, "25 gb/s" of a rate: bytes or bits? */
static bool is_ambiguous(const char *text, const char *unit)
{
  char large[3];
  const char *rest = text + large_prefix(text, large);
  if (strcmp(unit, "B") == 0) return strcmp(rest, "b") == 0;
  bool small = rest > text && text[0] == lower(text[0]) && text[0] != 'k'; /* kilo has no other case */
  return strcmp(unit, "B/s") == 0 && small && strncmp(rest, "b/s", 3) == 0;
}

/* ---- Reading ---- */

/* An example of how the unit is written, for messages: "25 GB/s". */
static const char *example_of(const char *unit)
{
  static const char *const forms[][2] = {{"B/s", "GB/s"}, {"B", "GB"}, {"FLOP/s", "TFLOP/s"}, {"s", "ms"},
                                         {"Hz", "MHz"},   {"W", "W"},  {"FLOP", "GFLOP"},     {"1/s", "samples/s"},
                                         {"currency/h", "USD"}, {"currency/kWh", "EUR/kWh"}, {"J", "kWh"}};
  for (size_t i = 0; i < COUNT(forms); i++)
    if (strcmp(unit, forms[i][0]) == 0) return forms[i][1];
  return unit;
}

/* All that messages name of it. */
static const char *examples_of(const char *unit)
{
  static const char *const forms[][2] = {
    {"B/s", "MB/s, GB/s, TB/s, Gbit/s"}, {"B", "kB, MB, GB, KiB, MiB, GiB"}, {"FLOP/s", "GFLOP/s, TFLOP/s, PFLOP/s"},
    {"s", "us, ms, s, min, h, d"}, {"Hz", "MHz, GHz"}, {"W", "W, kW"}, {"currency/h", "USD, EUR/h, and the like"},
    {"currency/kWh", "EUR/kWh, USD/MWh, and the like"}, {"g/kWh", "g/kWh, kg/kWh"},
    {"1/s", "1/s, samples/s, images/s"}};
  for (size_t i = 0; i < COUNT(forms); i++)
    if (strcmp(unit, forms[i][0]) == 0) return forms[i][1];
  return example_of(unit);
}

static bool is_plain(const char *unit)
{
  return unit[0] == '\0' || strcmp(unit, "1") == 0;
}

/* "300B" tokens: as people write large numbers of things. */
static bool find_count(const char *text, const char *unit, scale *found)
{
  static const struct { const char *name; int shift; } counts[] = {
    {"k", 3}, {"K", 3}, {"M", 6}, {"B", 9}, {"T", 12}, {"thousand", 3}, {"million", 6}, {"billion", 9},
      {"trillion", 12}};
  for (size_t i = 0; is_plain(unit) && i < COUNT(counts); i++) {
    if (strcmp(text, counts[i].name) != 0) continue;
    *found = (scale){"1", counts[i].shift, 1};
    return true;
  }
  return false;
}

/* "2.5 USD", "4 USD/h" of a price by the hour, "0.1 EUR/kWh" of energy: whatever the currency is called. */
static bool find_price(const char *text, const char *unit, scale *found)
{
  static const struct { const char *unit, *end; int shift; } ends[] = {
    {"currency/h", "", 0}, {"currency/h", "/h", 0}, {"currency/h", "/hour", 0}, {"currency/h", " per hour", 0},
    {"currency/h", "/GPU-hour", 0}, {"currency/h", "/GPUh", 0}, {"currency/kWh", "/kWh", 0},
    {"currency/kWh", " per kWh", 0}, {"currency/kWh", "/MWh", -3}};
  size_t letters = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  for (size_t i = 0; letters > 0 && i < COUNT(ends); i++)
    if (strcmp(unit, ends[i].unit) == 0 && strcmp(text + letters, ends[i].end) == 0)
      return *found = (scale){ends[i].unit, ends[i].shift, 1}, true;
  return false;
}

static int out_of_range(const char *text, pm_error *error)
{
  return pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.80s\" is out of range", text);
}

static int either(const char *text, const char *unit_text, const char *unit, pm_error *error)
{
  char large[3] = "";
  int digits = (int)(unit_text - text);
  large_prefix(unit_text, large);
  while (text[digits - 1] == ' ') digits--; /* a digit comes before it */
  const char *rate = strcmp(unit, "B") == 0 ? "" : "/s";
  return pm__fail(error, PM_STATUS_BAD_UNIT, "\"%.80s\" may be bytes or bits; write \"%.*s %sB%s\" or \"%.*s %sbit%s\"",
                  text,
                  digits, text, large, rate, digits, text, large, rate);
}

static int read_scaled(const char *text, const char *unit_text, const char *unit, double *value, pm_error *error)
{
  scale found;
  if (is_ambiguous(unit_text, unit)) return either(text, unit_text, unit, error);
  bool known = find_count(unit_text, unit, &found) || find_price(unit_text, unit, &found);
  if (!known && !find_unit(unit_text, &found) && !find_spelling(unit_text, unit, &found))
    return pm__fail(error, PM_STATUS_BAD_UNIT, "\"%.80s\" has an unknown unit; it must be one of %s", text,
                    examples_of(unit));
  if (strcmp(found.unit, is_plain(unit) ? "1" : unit) != 0)
    return pm__fail(error, PM_STATUS_BAD_UNIT, "\"%.80s\" has the wrong unit; write it in %s", text, example_of(unit));
  const char *p = text;
  double number;
  if (pm__number_scan(&p, found.shift, &number) != PM_OK || !isfinite(number * found.factor) ||
      (number != 0 && fabs(number * found.factor) < DBL_MIN))
    return out_of_range(text, error);
  *value = number * found.factor;
  return PM_OK;
}

static int not_a_number(const char *text, const char *unit, pm_error *error)
{
  if (is_plain(unit)) return pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.80s\" is not a number", text);
  return pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.80s\" is not a quantity; write a number and %s", text,
                  example_of(unit));
}

int pm_quantity_parse(const char *text, const char *unit, double *value, pm_error *error)
{
  if (text == NULL || unit == NULL || value == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a quantity needs a text, a unit and a place");
  if (strcmp(text, "unlimited") == 0) return *value = INFINITY, PM_OK;
  if (strcmp(text, "unknown") == 0) return *value = NAN, PM_OK;
  const char *p = text;
  double number;
  int status = pm__number_scan(&p, 0, &number);
  if (status == PM_STATUS_BAD_ARGUMENT) return out_of_range(text, error);
  if (status != PM_OK) return not_a_number(text, unit, error);
  int digits = (int)(p - text);
  while (*p == ' ') p++;
  if (*p != '\0') return read_scaled(text, p, unit, value, error);
  if (strcmp(unit, "s") == 0)
    return pm__fail(error, PM_STATUS_BAD_UNIT,
                    "\"%.80s\" has no unit; write \"%.*s h\", \"%.*s s\" or \"%.*s ms\"",
                    text, digits, text, digits, text, digits, text);
  if (!is_plain(unit) && strncmp(unit, "currency/", strlen("currency/")) != 0)
    return pm__fail(error, PM_STATUS_BAD_UNIT, "\"%.80s\" has no unit; write \"%.*s %s\"", text, digits, text,
                    example_of(unit));
  *value = number;
  return PM_OK;
}

/* Four significant digits; no more than the value has, and none cut before the decimal point. */
static void format_digits(char *buffer, double value)
{
  int power = value == 0 ? 0 : (int)floor(log10(fabs(value)));
  double unit = pow(10, power < 3 ? 3 - power : 0);
  pm_number_format(buffer, round(value * unit) / unit);
}

typedef struct display_prefix {
  const char *name;
  double factor;
} display_prefix;

static const display_prefix large[] = {{"E", 1e18}, {"P", 1e15}, {"T", 1e12}, {"G", 1e9},
                                       {"M", 1e6},  {"k", 1e3},  {"", 1.0}};
static const display_prefix durations[] = {{"d", 86400}, {"h", 3600}, {"min", 60}};
static const display_prefix small[] = {{"", 1.0}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};

/* The largest prefix that leaves at least 1 after rounding to four digits, else the last of the list. */
static const display_prefix *choose_prefix(const display_prefix *list, size_t count, double magnitude)
{
  for (size_t i = 0; i + 1 < count; i++)
    if (magnitude >= list[i].factor * 0.99995) return &list[i];
  return &list[count - 1];
}

/* Two of a unit at least: 119 s, 2 min, 119 min, 2 h. NULL: seconds. */
static const display_prefix *choose_duration(const char *unit, double magnitude)
{
  for (size_t i = 0; strcmp(unit, "s") == 0 && i < COUNT(durations); i++)
    if (magnitude >= 2 * durations[i].factor * 0.99995) return &durations[i];
  return NULL;
}

static void format_with_unit(char *buffer, size_t size, double value, const char *unit)
{
  char digits[PM_NUMBER_MAX];
  bool seconds = strcmp(unit, "s") == 0;
  const display_prefix *p = seconds ? choose_prefix(small, COUNT(small), fabs(value))
                                    : choose_prefix(large, COUNT(large), fabs(value));
  const display_prefix *duration = choose_duration(unit, fabs(value));
  if (value == 0) p = &small[0];
  if (duration != NULL) p = duration;
  format_digits(digits, value / p->factor);
  snprintf(buffer, size, "%s %s%s", digits, p->name, duration != NULL ? "" : unit);
}

static bool takes_prefix(const char *unit)
{
  static const char *const whole[] = {"1/s", "currency/h", "currency/kWh", "g/kWh", "FLOP/B"};
  for (size_t i = 0; i < COUNT(whole); i++)
    if (strcmp(unit, whole[i]) == 0) return false;
  return !is_plain(unit);
}

char *pm_quantity_format(char *buffer, size_t size, double value, const char *unit)
{
  char digits[PM_NUMBER_MAX];
  if (isnan(value)) snprintf(buffer, size, "unknown");
  else if (isinf(value)) snprintf(buffer, size, "%sunlimited", value < 0 ? "-" : "");
  else if (takes_prefix(unit)) format_with_unit(buffer, size, value, unit);
  else {
    const size_t currency = strncmp(unit, "currency", 8) == 0 ? 8 : 0; /* which one, a table does not know */
    const char *shown = is_plain(unit) ? "" : strcmp(unit, "1/s") == 0 ? "/s" : unit + currency;
    format_digits(digits, value);
    snprintf(buffer, size, "%s%s%s", digits, shown[0] != '\0' ? " " : "", shown);
  }
  return buffer;
}
