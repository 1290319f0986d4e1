/*
** How long a network of 1,000 layers takes to load: to be read, built and counted.
**
**   shipped catalogue    what every program pays once
**   catalogue and file   that, and a file with a network of 1,000 layers, one element each: parsed and checked
**   network              the network of that file: built, its shapes inferred, counted
**   file and network     what a user waits for who adds the file to a catalogue and takes the network out of it
**   gpt3-175b            the largest network of the shipped catalogue, from its blocks
**   totals, tree, kinds  the 1,000 layers' counts, as totals and as tables
**
** Each row is the best of REPEATS.
*/
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <perfmodel.h>

enum { LAYERS = 1000, REPEATS = 50 };

typedef struct bench {
  pm_catalog *catalog; /* holds the network */
  pm_network *network;
  const char *path;
  pm_error error;
} bench;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Convolutions, norms, activations and joins in turn, all with names and attributes of their own. */
static int write_file(FILE *file)
{
  fputs("<?xml version=\"1.0\"?>\n<perfmodel version=\"1\">\n  <network id=\"thousand\" name=\"Thousand\">\n", file);
  fputs("    <input name=\"image\" shape=\"64,56,56\"/>\n", file);
  for (int i = 0; i < LAYERS / 4; i++) {
    const char *before = i > 0 ? "relu" : "image";
    fprintf(file, "    <conv2d name=\"stage%d.conv\" out_channels=\"64\" kernel=\"3\" padding=\"1\" bias=\"no\"/>\n",
            i);
    fprintf(file, "    <batch_norm name=\"stage%d.norm\"/>\n", i);
    if (i > 0)
      fprintf(file, "    <add name=\"stage%d.add\" inputs=\"stage%d.norm stage%d.%s\"/>\n", i, i, i - 1, before);
    else fprintf(file, "    <add name=\"stage0.add\" inputs=\"stage0.norm %s\"/>\n", before);
    fprintf(file, "    <relu name=\"stage%d.relu\"/>\n", i);
  }
  fputs("  </network>\n</perfmodel>\n", file);
  return fclose(file);
}

/* ---- What is measured: 1 if it went well ---- */

static int load_file(bench *b)
{
  pm_catalog *catalog = pm_catalog_new(&b->error);
  int good = catalog != NULL && pm_catalog_load(catalog, b->path, &b->error) == PM_OK;
  pm_catalog_free(catalog);
  return good;
}

static int build(bench *b, const char *id, int layers)
{
  pm_network *network = pm_catalog_new_network(b->catalog, id, NULL, 0, &b->error);
  int good = network != NULL && pm_network_count_layers(network) >= layers;
  pm_network_free(network);
  return good;
}

static int build_thousand(bench *b)
{
  return build(b, "thousand", LAYERS);
}

static int build_gpt3(bench *b)
{
  return build(b, "gpt3-175b", LAYERS);
}

static int load_and_build(bench *b)
{
  return pm_catalog_load(b->catalog, b->path, &b->error) == PM_OK && build_thousand(b);
}

static int count_totals(bench *b)
{
  pm_network_totals totals;
  return pm_network_get_totals(b->network, &totals, &b->error) == PM_OK;
}

static int tabulate(bench *b, pm_counts_view view)
{
  pm_counts_question question = pm_counts_question_make();
  question.view = view;
  pm_table *table = pm_network_tabulate(b->network, &question, &b->error);
  pm_table_free(table);
  return table != NULL;
}

static int count_tree(bench *b)
{
  return tabulate(b, PM_COUNTS_VIEW_TREE);
}

static int count_kinds(bench *b)
{
  return tabulate(b, PM_COUNTS_VIEW_KINDS);
}

static int measure(const char *name, int (*work)(bench *), bench *b)
{
  double best = 1e9;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = now();
    if (!work(b)) return 0;
    double seconds = now() - start;
    if (seconds < best) best = seconds;
  }
  printf("%-22s  %8.3f\n", name, 1e3 * best);
  return 1;
}

static int empty_catalogue(bench *b)
{
  pm_catalog *catalog = pm_catalog_new(&b->error);
  pm_catalog_free(catalog);
  return catalog != NULL;
}

static int measure_all(bench *b)
{
  printf("%-22s  %8s\n", "1,000 layers", "ms");
  int good = measure("shipped catalogue", empty_catalogue, b) && measure("catalogue and file", load_file, b);
  good = good && measure("network", build_thousand, b) && measure("file and network", load_and_build, b);
  good = good && measure("gpt3-175b", build_gpt3, b) && measure("totals", count_totals, b);
  return good && measure("tree", count_tree, b) && measure("kinds", count_kinds, b);
}

int main(void)
{
  char path[] = "/tmp/perfmodel-bench-XXXXXX.xml";
  bench b = {NULL, NULL, path, PM_ERROR_NONE};
  int descriptor = mkstemps(path, 4);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  int good = file != NULL && write_file(file) == 0;
  b.catalog = good ? pm_catalog_new(&b.error) : NULL;
  good = b.catalog != NULL && pm_catalog_load(b.catalog, path, &b.error) == PM_OK;
  b.network = good ? pm_catalog_new_network(b.catalog, "thousand", NULL, 0, &b.error) : NULL;
  good = b.network != NULL && measure_all(&b);
  if (!good) fprintf(stderr, "bench_network: %s\n", b.error.text[0] ? b.error.text : "the file cannot be written");
  pm_network_free(b.network);
  pm_catalog_free(b.catalog);
  if (descriptor >= 0) unlink(path);
  return good ? 0 : 1;
}
