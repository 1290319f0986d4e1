/* Prices of nodes, as the user gives them: "dgx1-v100=149000 USD, c4140=60000 USD", or a file with such lines. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "price.h"
#include "options.h"

enum { LINE = 512 };

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static char *trimmed(char *text)
{
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
  return text;
}

static int set_currency(cli_prices *prices, const char *currency)
{
  if (currency[0] == '\0') return fail(CODE_USAGE, "a price has no currency; write it like \"149000 USD\"");
  if (strlen(currency) >= sizeof prices->currency) return fail(CODE_USAGE, "currency \"%.40s\" is too long", currency);
  if (prices->currency[0] != '\0' && strcmp(prices->currency, currency) != 0)
    return fail(CODE_USAGE, "prices in %s and in %s cannot be compared", prices->currency, currency);
  snprintf(prices->currency, sizeof prices->currency, "%s", currency);
  return CODE_DONE;
}

int read_amount(cli_prices *prices, char *text, double *amount)
{
  size_t digits = strcspn(text, " \t");
  char *currency = text + digits + (text[digits] != '\0'), *hour = strstr(currency, "/h");
  text[digits] = '\0';
  if (hour != NULL) *hour = '\0'; /* "2.5 USD/h" */
  if (pm_number_parse(text, amount) != PM_OK || !(*amount > 0) || isinf(*amount))
    return fail(CODE_USAGE, "price \"%.80s\" is not a positive number", text);
  return set_currency(prices, trimmed(currency));
}

/* A system, or a GPU, which is a machine with one of it. */
static bool name_machine(const pm_catalog *catalog, const char *name, char text[PM_TEXT_MAX], pm_error *error)
{
  const char *id = pm_catalog_resolve(catalog, "systems", name, error), *gpu = NULL;
  if (id == NULL) gpu = pm_catalog_resolve(catalog, "gpus", name, NULL);
  snprintf(text, PM_TEXT_MAX, "%s%s", gpu != NULL ? "gpu:" : "", gpu != NULL ? gpu : id != NULL ? id : "");
  return text[0] != '\0';
}

int take_currency(cli_prices *prices, const char *text)
{
  char currency[sizeof prices->currency];
  size_t letters = text != NULL ? strcspn(text, LETTERS) : 0;
  if (text == NULL || text[letters] == '\0') return CODE_DONE;
  snprintf(currency, sizeof currency, "%.*s", (int)strspn(text + letters, LETTERS), text + letters);
  return set_currency(prices, currency);
}

/* "dgx1-v100=149000 USD" or "dgx1-v100,149000 USD" */
static int read_entry(const pm_catalog *catalog, cli_prices *prices, char *text, const char *between)
{
  char *separator = strpbrk(text, between);
  pm_error error = PM_ERROR_NONE;
  if (separator == NULL) return fail(CODE_USAGE, "price \"%.80s\" is not SYSTEM=AMOUNT CURRENCY", text);
  if (prices->count == PRICES_MOST) return fail(CODE_USAGE, "there are more than %d prices", PRICES_MOST);
  cli_price *price = &prices->price[prices->count++];
  *separator = '\0';
  if (!name_machine(catalog, trimmed(text), price->system, &error)) return fail_error(&error);
  return read_amount(prices, trimmed(separator + 1), &price->amount);
}

static int read_list(const pm_catalog *catalog, cli_prices *prices, const char *text)
{
  texts items;
  int code = CODE_DONE;
  if (!read_names("--price", text, &items)) return CODE_USAGE;
  for (size_t i = 0; i < items.count && code == CODE_DONE; i++) {
    char line[LINE];
    snprintf(line, sizeof line, "%s", items.items[i]);
    code = read_entry(catalog, prices, line, "=");
  }
  free(items.items);
  return code;
}

static int read_lines(const pm_catalog *catalog, cli_prices *prices, char *text)
{
  int code = CODE_DONE;
  for (char *next = text; next != NULL && code == CODE_DONE;) {
    char *line = next, *end = strchr(line, '\n');
    next = end != NULL ? end + 1 : NULL;
    line[strcspn(line, "#\r\n")] = '\0';
    line = trimmed(line);
    if (line[0] != '\0') code = read_entry(catalog, prices, line, "=,;");
  }
  return code;
}

int read_prices(const cli_request *request, const pm_catalog *catalog, cli_prices *prices)
{
  const char *text = request->value[OPTION_PRICE], *date = request->value[OPTION_PRICE_DATE];
  memset(prices, 0, sizeof *prices);
  if (date != NULL && text == NULL) return fail(CODE_USAGE, "--price-date without --price");
  if (text == NULL) return CODE_DONE;
  if (strchr(text, '=') != NULL) return read_list(catalog, prices, text);
  pm_error error = PM_ERROR_NONE;
  char *lines = pm_file_read(text, &error);
  if (lines == NULL) return fail_error(&error);
  int code = read_lines(catalog, prices, lines);
  pm_string_free(lines);
  return code;
}

int read_gpu_prices(const cli_request *request, const pm_catalog *catalog, cli_prices *prices)
{
  const char *text = request->value[OPTION_GPU_HOUR_PRICE];
  if (text == NULL) text = field_given(request, "gpu_hour_price"); /* of a command that also asks about training */
  char amount[LINE];
  memset(prices, 0, sizeof *prices);
  if (text == NULL) return CODE_DONE;
  if (strchr(text, '=') != NULL) return read_list(catalog, prices, text);
  snprintf(amount, sizeof amount, "%s", text);
  prices->count = 1; /* of any system */
  if (pm_number_parse(amount, &prices->price[0].amount) == PM_OK) return CODE_DONE; /* of any currency */
  return read_amount(prices, amount, &prices->price[0].amount);
}

double price_of(const cli_prices *prices, const char *system)
{
  for (size_t i = prices->count; i-- > 0;)
    if (prices->price[i].system[0] == '\0' || strcmp(prices->price[i].system, system) == 0)
      return prices->price[i].amount;
  return NAN;
}

int add_currency(const cli_prices *prices, pm_table *table, pm_error *error)
{
  if (table == NULL || prices->currency[0] == '\0') return PM_OK;
  size_t count = pm_table_count_rows(table);
  const char **words = (const char **)calloc(count + 1, sizeof *words);
  for (size_t i = 0; words != NULL && i < count; i++) words[i] = prices->currency;
  int status = words != NULL ? pm_table_add_text(table, "currency", "that of costs", words, error)
                             : (int)PM_STATUS_NO_MEMORY;
  pm_table_set_show(table, "currency", PM_SHOW_MAIN | PM_SHOW_GIVEN | PM_SHOW_LINE);
  free(words);
  return status;
}
