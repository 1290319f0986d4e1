/*
** The worst files of a size: what takes a reader longer than its bytes are many. Each is a mebibyte or more of the
** same, and is answered by work that grows as its bytes do.
*/
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel-lab.h"
#include "work.h"

enum { MOST = 2 << 20, PER_BYTE = 1000 };
static const double GROWTH = 2.2;

/* A file: a head, so many times a piece in which %d, if it is there, is the count, and an end. */
typedef struct file {
  const char *what, *head, *piece, *end;
  const char *message; /* what the error holds; NULL: it loads */
} file;

#define HEAD "<perfmodel version=\"1\">"

static const file files[] = {
  {"attributes", HEAD "<gpu", " a%d=\"\"", "/></perfmodel>", "more than 64 attributes in \"gpu\""},
  {"namespaces", HEAD "<gpu", " xmlns:a%d=\"a%d\"", "/></perfmodel>", "more than 64 attributes in \"gpu\""},
  {"levels", HEAD, "<a%d>", "", "nested more than 32 deep"},
  {"elements", HEAD, "<a/>", "</perfmodel>", "more than 200000 elements"},
  {"a name", HEAD "<", "abcdefghij", "/></perfmodel>", "too long a name"},
  {"a value", HEAD "<gpu id=\"", "abcdefghij", "\"/></perfmodel>", "too long a value"},
  {"a text", HEAD "<gpu id=\"x\" name=\"x\"><memory>", "abcdefghij", "</memory></gpu></perfmodel>", "too long a text"},
  {"an open tag", HEAD "<gpu", " ", "", ""},
  {"an open quote", HEAD "<gpu id=\"", "<", "", ""},
  {"brackets", HEAD, "<", "", ""},
  {"a comment", HEAD "<!--", " =", "--></perfmodel>", NULL},
  {"comments", HEAD, "<!---->", "</perfmodel>", NULL},
  {"instructions", HEAD, "<?a?>", "</perfmodel>", NULL},
  {"references", HEAD "<gpu id=\"x\" name=\"x\"><memory>", "&#65;", "</memory></gpu></perfmodel>", "too long a text"},
  {"entities", HEAD "<gpu id=\"x\" name=\"x\"><memory>", "&a;", "</memory></gpu></perfmodel>", ""},
  {"doctypes", "<!DOCTYPE a [", "<!ENTITY a%d \"\">", "]>" HEAD "</perfmodel>", "a DOCTYPE is not allowed"},
  {"entries", HEAD, "<source id=\"a%d\" name=\"b%d\"/>", "</perfmodel>", NULL},
  {"aliases", HEAD "<gpu id=\"x\" name=\"x\" alias=\"", "a%d,", "\"/></perfmodel>", "too long a value"},
  {"layers", HEAD "<network id=\"x\" name=\"x\"><input shape=\"8\"/>", "<relu/>", "</network></perfmodel>", ""},
  {"lines", HEAD, "\n", "", ""},
};

static char *write_file(const file *f, size_t most)
{
  char *text = (char *)malloc(most + 200), piece[100];
  ck_assert_ptr_nonnull(text);
  size_t used = strlen(f->head);
  memcpy(text, f->head, used);
  for (int i = 0; used < most; i++) {
    const char *at = f->piece, *mark;
    for (; (mark = strstr(at, "%d")) != NULL; at = mark + 2)
      used += (size_t)snprintf(text + used, sizeof piece, "%.*s%d", (int)(mark - at), at, i);
    memcpy(text + used, at, strlen(at));
    used += strlen(at);
  }
  memcpy(text + used, f->end, strlen(f->end) + 1);
  return text;
}

/* Twice as much takes twice the work, not four times. */
static void check_growth(const char *what, uint64_t half, uint64_t whole)
{
  const double growth = (double)whole / (double)half;
  ck_assert_msg(growth < GROWTH, "%s: twice as many take %.2f times the work", what, growth);
  ck_assert_msg(whole < (uint64_t)MOST * PER_BYTE, "%s take %.3g blocks and bytes", what, (double)whole);
}

static uint64_t work_of_xml(const file *f, size_t size)
{
  pm_error error = PM_ERROR_NONE;
  char *text = write_file(f, size);
  pm_catalog *catalog = pm_catalog_new(NULL);
  const uint64_t before = work_done;
  int status = pm_catalog_load_text(catalog, text, "worst.xml", &error);
  const uint64_t work = work_done - before;
  pm_catalog_free(catalog);
  free(text);
  ck_assert_msg((status == PM_OK) == (f->message == NULL), "%s: %s", f->what, error.text);
  ck_assert_msg(f->message == NULL || strstr(error.text, f->message) != NULL, "%s: %s", f->what, error.text);
  return work;
}

START_TEST(xml_of_a_size)
{
  const file *f = &files[_i];
  check_growth(f->what, work_of_xml(f, MOST / 2), work_of_xml(f, MOST));
}
END_TEST

/* ---- Tables of the user ---- */

typedef struct rows {
  const char *set, *head, *row;
} rows;

#define RATES "model,framework,gpu,batch_per_gpu,precision,throughput,unit\n"

static const rows tables[] = {
  {"training", RATES, "resnet18,PyTorch,V100,%d,fp32,x,images/s\n"},
  {"training", RATES, "unknown%d,PyTorch,V100,1,fp32,9,images/s\n"},
  {"training", RATES, "resnet18,PyTorch,G%d,1,fp32,9,images/s\n"},
  {"training", RATES, "resnet18,PyTorch,V100,%d,fp32,9,images/s\n"},
  {"kernels", "kernel,M,N,K,precision,gpu,time_us\n", "gemm,%d,512,512,fp32,G%d,9\n"},
  {"kernels", "kernel,M,N,K,precision,gpu,time_us\n", "gemm,%d,512,512,fp32,V100,9\n"},
  {"collectives", "system,gpus,nodes,collective,message_bytes,time_us\n", "S%d,8,1,all_reduce,%d,9\n"},
};

static uint64_t work_of_table(const rows *t, size_t size)
{
  const file f = {t->set, t->head, t->row, "", NULL};
  char *text = write_file(&f, size);
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(NULL);
  const pm_validation what = {.set = t->set, .data = text, .rows = 1};
  const uint64_t before = work_done;
  pm_table *table = pm_validate(catalog, &what, &error);
  const uint64_t work = work_done - before;
  ck_assert_msg(table != NULL, "%s", error.text);
  pm_table_free(table);
  pm_catalog_free(catalog);
  free(text);
  return work;
}

START_TEST(tables_of_a_size)
{
  const rows *t = &tables[_i];
  check_growth(t->row, work_of_table(t, MOST / 8), work_of_table(t, MOST / 4));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("worst");
  TCase *tests = tcase_create("worst");
  tcase_set_timeout(tests, 100);
  tcase_add_loop_test(tests, xml_of_a_size, 0, sizeof files / sizeof files[0]);
  tcase_add_loop_test(tests, tables_of_a_size, 0, sizeof tables / sizeof tables[0]);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
