/* Numbers as text, the same in every locale. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/units.h"

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

enum { DIGITS_MAX = 400 };

/* Collects digits of "12.34" as "1234" and counts those behind the point. Returns false for junk or far too many. */
static bool read_digits(const char **text, char *digits, int *length, int *fraction)
{
  bool point = false, any = false;
  for (; is_digit(**text) || (**text == '.' && !point); (*text)++) {
    if (**text == '.') {
      point = true;
      continue;
    }
    if (*length == DIGITS_MAX) return false;
    digits[(*length)++] = **text;
    *fraction += point;
    any = true;
  }
  return any;
}

static bool read_exponent(const char **text, long *exponent)
{
  if (**text != 'e' && **text != 'E') return true;
  const char *p = *text + 1;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  if (!is_digit(*p)) return true; /* "3 eV": not an exponent; the caller sees the rest */
  for (*exponent = 0; is_digit(*p); p++)
    if (*exponent < 100000) *exponent = *exponent * 10 + (*p - '0');
  if (negative) *exponent = -*exponent;
  *text = p;
  return true;
}

/* Written as "<digits>e<exponent>", with no decimal point, a number means the same to strtod in every locale. */
int pm__number_scan(const char **text, int shift, double *value)
{
  char buffer[DIGITS_MAX + 32];
  int length = 0, fraction = 0;
  long exponent = 0;
  const char *p = *text;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  if (!read_digits(&p, buffer + 1, &length, &fraction) || !read_exponent(&p, &exponent)) return PM_STATUS_BAD_VALUE;
  buffer[0] = negative ? '-' : '+';
  snprintf(buffer + 1 + length, sizeof buffer - 1 - (size_t)length, "e%ld", exponent + shift - fraction);
  double number = strtod(buffer, NULL);
  /* Too large for a double, or so small that it becomes zero, or loses digits on the way there. */
  bool zero = strspn(buffer + 1, "0") >= (size_t)length;
  if (!isfinite(number) || (fabs(number) < DBL_MIN && !zero)) return PM_STATUS_BAD_ARGUMENT;
  *value = number;
  *text = p;
  return PM_OK;
}

int pm_number_parse(const char *text, double *value)
{
  double number;
  if (text == NULL || value == NULL || pm__number_scan(&text, 0, &number) != PM_OK ||
      *text != '\0') return PM_STATUS_BAD_VALUE;
  *value = number;
  return PM_OK;
}

/* printf writes the locale's decimal point; whatever stands between the digits becomes '.'. */
static void use_point(char *text)
{
  char *out = text;
  for (const char *in = text; *in != '\0';) {
    if (is_digit(*in) || *in == '-' || *in == '+' || *in == 'e') {
      *out++ = *in++;
      continue;
    }
    *out++ = '.';
    while (*in != '\0' && !is_digit(*in)) in++;
  }
  *out = '\0';
}

char *pm_number_format(char *buffer, double value)
{
  if (isnan(value)) return (char *)memcpy(buffer, "nan", sizeof "nan");
  if (isinf(value)) return (char *)memcpy(buffer, value > 0 ? "inf" : "-inf", value > 0 ? sizeof "inf" : sizeof "-inf");
  for (int digits = 15; digits <= 17; digits++) {
    double back;
    snprintf(buffer, PM_NUMBER_MAX, "%.*g", digits, value);
    use_point(buffer);
    if (digits == 17 || (pm_number_parse(buffer, &back) == PM_OK && back == value)) break;
  }
  return buffer;
}
