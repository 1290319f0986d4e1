/* Prices of nodes, as the user gives them. */
#ifndef PERFMODEL_PRICE_H
#define PERFMODEL_PRICE_H

#include "command.h"

enum { PRICES_MOST = 256 };

typedef struct cli_price {
  char system[PM_TEXT_MAX];
  double amount;
} cli_price;

typedef struct cli_prices {
  cli_price price[PRICES_MOST];
  size_t count;
  char currency[16]; /* empty without prices */
} cli_prices;

/* From --price: "SYSTEM=AMOUNT CURRENCY, ..." or a file with a price on each line, '#' starts a remark. One currency
** for all. Prints what is wrong and returns an exit code. */
int read_prices(const cli_request *request, const pm_catalog *catalog, cli_prices *prices);

/* From --gpu-hour-price: such a list, or one amount for all systems. An exit code. */
int read_gpu_prices(const cli_request *request, const pm_catalog *catalog, cli_prices *prices);

/* "149000 USD", in the currency of the others; changes `text`. An exit code. */
int read_amount(cli_prices *prices, char *text, double *amount);

/* The currency of "2.5 USD" or "2.5 USD/h", if it names one: that of the others. `text` may be NULL. An exit code. */
int take_currency(cli_prices *prices, const char *text);

/* A column of the currency of costs, which only the command knows, if there is one. */
int add_currency(const cli_prices *prices, pm_table *table, pm_error *error);

double price_of(const cli_prices *prices, const char *system); /* NAN: unknown; the last one wins */

#endif
