/* Networks written as XML: what the text is, and that reading it gives the same network. */
#include <stdlib.h>
#include <string.h>
#include "base/document.h"
#include "fixtures.h"
#include "network/definition.h"

static pm_network *new_network(void)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = pm_network_new("tiny net", "Tiny & \"small\"", &error);
  ck_assert_ptr_nonnull(network);
  ck_assert_int_eq(pm_network_add_input(network, "image", (const int64_t[]){3, 8, 8}, 3, &error), 0);
  return network;
}

static int add(pm_network *network, const char *kind, const char *name, const int *inputs, int count,
               const pm_attribute *attributes, size_t attribute_count)
{
  pm_error error = PM_ERROR_NONE;
  int number = pm_network_add(network, kind, name, inputs, count, attributes, attribute_count, &error);
  ck_assert_msg(number >= 0, "%s", error.text);
  return number;
}

static pm_network *read_back(const char *text)
{
  pm_error error = PM_ERROR_NONE;
  pm__document *document = pm__document_read(text, strlen(text), "written.xml", &error);
  ck_assert_msg(document != NULL, "%s", error.text);
  pm_network *network = pm__network_build(document, document->root->child, NULL, 0, &error);
  ck_assert_msg(network != NULL, "%s", error.text);
  pm__document_free(document);
  return network;
}

START_TEST(the_text_is_what_a_person_would_write)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = new_network();
  const pm_attribute conv[] = {{"out_channels", "4"}, {"kernel", "3"}, {"padding", "1"}, {"padding_end", "1"}};
  const int image = 0;
  int a = add(network, "conv2d", "a", &image, 1, conv, 4), b = add(network, "conv2d", "a b{", &image, 1, conv, 3);
  add(network, "add", "", (const int[]){a, b}, 2, NULL, 0);
  char *text = pm_network_format_xml(network, &error);
  ck_assert_msg(text != NULL, "%s", error.text);
  ck_assert_str_eq(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<perfmodel version=\"1\">\n\n"
                         "  <network id=\"tiny-net\" name=\"Tiny &amp; &quot;small&quot;\">\n"
                         "    <input name=\"image\" shape=\"3,8,8\"/>\n"
                         "    <conv2d name=\"a\" out_channels=\"4\" kernel=\"3\" padding=\"1\"/>\n"
                         "    <conv2d name=\"a_b_\" input=\"image\" out_channels=\"4\" kernel=\"3\" padding=\"1\"/>\n"
                         "    <add name=\"add3\" inputs=\"a a_b_\"/>\n"
                         "  </network>\n\n</perfmodel>\n");
  pm_string_free(text);
  pm_network_free(network);
}
END_TEST

START_TEST(reading_gives_the_same_counts)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = new_network();
  pm_network_totals written, read;
  const pm_attribute conv[] = {{"out_channels", "6"}, {"kernel", "1,3"}, {"stride", "2,1"}, {"groups", "3"}};
  const pm_attribute drop[] = {{"rate", "0.1"}};
  const int image = 0;
  int x = add(network, "conv2d", "c", &image, 1, conv, 4);
  x = add(network, "dropout", "c", &x, 1, drop, 1);
  char *text = pm_network_format_xml(network, &error);
  pm_network *back = read_back(text);
  ck_assert_int_eq(pm_network_get_totals(network, &written, &error), PM_OK);
  ck_assert_int_eq(pm_network_get_totals(back, &read, &error), PM_OK);
  ck_assert_str_eq(read.name, "Tiny & \"small\"");
  ck_assert(written.parameters == read.parameters && written.mac == read.mac && written.flop == read.flop);
  ck_assert(written.training_flop == read.training_flop);
  pm_string_free(text);
  pm_network_free(back);
  pm_network_free(network);
}
END_TEST

/* What is frozen stays so, and what is trained is said by name. */
START_TEST(trained_layers_are_written)
{
  pm_network_totals first, second;
  pm_error error = PM_ERROR_NONE;
  pm_network *network = read_back("<perfmodel version=\"1\"><network id=\"n\" name=\"n\" trainable=\"head*\">"
                                  "<input shape=\"3,8,8\"/><conv2d name=\"stem\" out_channels=\"4\" kernel=\"3\"/>"
                                  "<flatten/>"
                                  "<linear name=\"head\" out_features=\"10\"/></network></perfmodel>");
  char *text = pm_network_format_xml(network, &error);
  ck_assert_msg(text != NULL, "%s", error.text);
  ck_assert_msg(strstr(text, " trainable=\"head\">") != NULL, "%s", text);
  pm_network *back = read_back(text);
  ck_assert_int_eq(pm_network_get_totals(network, &first, &error), PM_OK);
  ck_assert_int_eq(pm_network_get_totals(back, &second, &error), PM_OK);
  ck_assert(first.parameters == 144 * 10 + 10 && second.parameters == first.parameters);
  ck_assert(first.training_flop == second.training_flop && first.training_flop < 3 * first.flop);
  pm_string_free(text);
  pm_network_free(back);
  pm_network_free(network);
}
END_TEST

START_TEST(what_cannot_be_written_is_an_error)
{
  enum { MANY = 60 };
  pm_error error = PM_ERROR_NONE;
  pm_network *network = new_network();
  int inputs[MANY];
  char name[PM_TEXT_MAX];
  ck_assert_ptr_null(pm_network_format_xml(NULL, NULL));
  ck_assert_ptr_null(pm_network_format_xml(network, &error));
  ck_assert_str_eq(error.text, "a network without layers cannot be written");
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = '\0';
  for (int i = 0; i < MANY; i++) inputs[i] = add(network, "relu", name, (const int[]){0}, 1, NULL, 0);
  add(network, "concat", "all", inputs, MANY, NULL, 0);
  error = (pm_error)PM_ERROR_NONE;
  ck_assert_ptr_null(pm_network_format_xml(network, &error));
  ck_assert_str_eq(error.text, "concat \"all\" takes 60 inputs, whose names are longer than the 4096 bytes of a value");
  pm_network_free(network);
}
END_TEST

START_TEST(shapes_are_told)
{
  int64_t shape[PM_RANK_MAX] = {0};
  pm_network *network = new_network();
  ck_assert_int_eq(pm_network_get_shape(network, 0, shape), 3);
  ck_assert(shape[0] == 3 && shape[1] == 8 && shape[2] == 8);
  ck_assert_int_eq(pm_network_get_shape(network, 1, shape), 0);
  ck_assert_int_eq(pm_network_get_shape(network, -1, shape), 0);
  ck_assert_int_eq(pm_network_get_shape(NULL, 0, shape), 0);
  pm_network_free(network);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("write");
  TCase *tests = tcase_create("write");
  tcase_add_test(tests, the_text_is_what_a_person_would_write);
  tcase_add_test(tests, reading_gives_the_same_counts);
  tcase_add_test(tests, trained_layers_are_written);
  tcase_add_test(tests, what_cannot_be_written_is_an_error);
  tcase_add_test(tests, shapes_are_told);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
