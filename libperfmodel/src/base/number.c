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

/* Few digits and a small power of ten are doubles, and one operation rounds their product as strtod would. */
static bool read_short(const char *digits, int length, long exponent, double *number)
{
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (length > 15 || exponent < -22 || exponent > 22 || FLT_EVAL_METHOD != 0) return false;
  double whole = 0;
  for (int i = 0; i < length; i++) whole = whole * 10 + (digits[i] - '0');
  *number = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent];
  return true;
}

/* Written as "<digits>e<exponent>", with no decimal point, a number means the same to strtod in every locale. */
static double read_long(char *digits, int length, long exponent)
{
  snprintf(digits + length, 32, "e%ld", exponent);
  return strtod(digits, NULL);
}

int pm__number_scan(const char **text, int shift, double *value)
{
  char buffer[DIGITS_MAX + 32];
  int length = 0, fraction = 0;
  long exponent = 0;
  const char *p = *text;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  if (!read_digits(&p, buffer, &length, &fraction) || !read_exponent(&p, &exponent)) return PM_STATUS_BAD_VALUE;
  exponent += shift - fraction;
  double number;
  if (!read_short(buffer, length, exponent, &number)) number = read_long(buffer, length, exponent);
  /* Too large for a double, or so small that it becomes zero, or loses digits on the way there. */
  bool zero = strspn(buffer, "0") >= (size_t)length;
  if (!isfinite(number) || (number < DBL_MIN && !zero)) return PM_STATUS_BAD_ARGUMENT;
  *value = negative ? -number : number;
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
    in += strcspn(in, "0123456789");
  }
  *out = '\0';
}

char *pm_number_format(char *buffer, double value)
{
  if (isnan(value)) return (char *)memcpy(buffer, "nan", sizeof "nan");
  if (isinf(value)) return (char *)memcpy(buffer, value > 0 ? "inf" : "-inf", value > 0 ? sizeof "inf" : sizeof "-inf");
  for (int digits = 15;; digits++) {
    double back;
    snprintf(buffer, PM_NUMBER_MAX, "%.*g", digits, value);
    use_point(buffer);
    if (digits == 17 || (pm_number_parse(buffer, &back) == PM_OK && back == value)) break;
  }
  return buffer;
}

double pm__largest_divisor(double number, double most)
{
  double largest = 1;
  for (double i = 1; i <= most && i * i <= number; i++) {
    if (fmod(number, i) != 0) continue;
    largest = fmax(largest, i);
    if (number / i <= most) return number / i; /* those of smaller numbers are larger */
  }
  return largest;
}
