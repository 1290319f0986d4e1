/* The language of networks: what each construction builds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/document.h"
#include "fixtures.h"
#include "network/definition.h"
#include "network/network.h"

static pm_network *try_build(const char *text, const pm_attribute *sets, size_t count, pm_error *error)
{
  pm_network *network = NULL;
  pm__document *document = pm__document_read(text, strlen(text), "t.xml", error);
  ck_assert_msg(document != NULL, "%s", error->text);
  const pm__element *e = document->root->child;
  while (e != NULL && strcmp(e->name, "network") != 0) e = e->next;
  ck_assert_ptr_nonnull(e);
  network = pm__network_build(document, e, sets, count, error);
  pm__document_free(document);
  return network;
}

#define FILE_OF(blocks, params, body) \
  "<perfmodel version='1'>" blocks "<network id='n' name='N'>" params "<input shape='3,8,8'/>" body                   \
  "</network></perfmodel>"

/* "name:output name:output ...": what a network came out as. */
static char *describe(const char *text, const pm_attribute *sets, size_t count)
{
  static char all[4000];
  pm_error error = PM_ERROR_NONE;
  pm_network *network = try_build(text, sets, count, &error);
  ck_assert_msg(network != NULL, "%s", error.text);
  size_t layers = (size_t)pm_network_count_layers(network), used = 0;
  pm_layer *rows = (pm_layer *)calloc(layers, sizeof *rows);
  ck_assert_int_eq(pm__network_get_layers(network, 1, PM_PRECISION_FP32, rows, &error), PM_OK);
  all[0] = '\0';
  for (size_t i = 0; i < layers; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s:%s", i > 0 ? " " : "", rows[i].name, rows[i].output);
  free(rows);
  pm_network_free(network);
  return all;
}

static void refused(const char *text, const char *message)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(try_build(text, NULL, 0, &error));
  ck_assert_msg(strstr(error.text, message) != NULL, "%s", error.text);
}

START_TEST(layers_follow_each_other)
{
  ck_assert_str_eq(describe(FILE_OF("", "", "<conv2d name='c' out_channels='4' kernel='3'/><relu/><relu name='r'/>"),
                            NULL, 0),
                   "c:4x6x6 relu2:4x6x6 r:4x6x6");
}
END_TEST

START_TEST(attributes_may_be_expressions)
{
  const char *text = FILE_OF("", "<param name='w' default='2'/><param name='k' default='w+1'/>",
                             "<conv2d name='c' out_channels='w*8' kernel='1,k' bias='w&lt;1'/>"
                             "<conv2d name='d' out_channels='4' kernel='1' bias='no'/>");
  ck_assert_str_eq(describe(text, NULL, 0), "c:16x8x6 d:4x8x6");
  const pm_attribute sets[] = {{"w", "3"}, {"k", "2*4"}};
  ck_assert_str_eq(describe(text, sets, 2), "c:24x8x1 d:4x8x1");
}
END_TEST

START_TEST(parameters_from_outside_are_checked)
{
  const char *text = FILE_OF("", "<param name='classes'/><param name='image' default='8'/>", "<relu/>");
  const pm_attribute wrong[] = {{"clases", "3"}, {"classes", "1"}}, junk[] = {{"classes", "ten"}};
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(try_build(text, wrong, 2, &error));
  ck_assert_str_eq(error.text, "network \"n\" has no parameter \"clases\"; it has classes, image");
  ck_assert_int_eq(error.status, PM_STATUS_NOT_FOUND);
  error = (pm_error)PM_ERROR_NONE;
  ck_assert_ptr_null(try_build(text, junk, 1, &error));
  ck_assert_str_eq(error.text, "expression \"ten\": there is no parameter \"ten\"");
  refused(text, "t.xml:1: network \"n\" needs its parameter \"classes\"");
}
END_TEST

#define BLOCK "<block id='b'><param name='w'/><param name='s' default='1'/>" \
              "<conv2d name='c' out_channels='w' kernel='1' stride='s'/><relu/></block>"

START_TEST(blocks_have_names_and_parameters_of_their_own)
{
  ck_assert_str_eq(describe(FILE_OF(BLOCK, "<param name='w' default='2'/>",
                                    "<use block='b' name='x' w='w*2'/><use block='b' name='y' w='5' s='2'/>"), NULL, 0),
                   "x.c:4x8x8 x.relu2:4x8x8 y.c:5x4x4 y.relu2:5x4x4");
  /* A block does not see the parameters of who uses it. */
  refused(FILE_OF("<block id='b'><conv2d out_channels='w' kernel='1'/></block>", "<param name='w' default='2'/>",
                  "<use block='b' name='x'/>"), "out_channels \"w\" is not a number");
  /* Without a name, the layers are called as those around. */
  ck_assert_str_eq(describe(FILE_OF(BLOCK, "", "<relu/><use block='b' w='2'/><relu/>"), NULL, 0),
                   "relu1:3x8x8 c:2x8x8 relu3:2x8x8 relu4:2x8x8");
}
END_TEST

START_TEST(repeats_count_from_zero)
{
  ck_assert_str_eq(describe(FILE_OF("", "<param name='n' default='3'/>",
                                    "<repeat times='n' index='i'><conv2d name='c{i+1}' out_channels='i+1' kernel='1'/>"
                                    "</repeat>"), NULL, 0),
                   "c1:1x8x8 c2:2x8x8 c3:3x8x8");
  ck_assert_str_eq(describe(FILE_OF("", "", "<relu name='a'/><repeat times='0'><relu/></repeat>"), NULL, 0), "a:3x8x8");
  ck_assert_str_eq(describe(FILE_OF("", "", "<repeat times='2' index='i'><repeat times='2' index='j'>"
                                            "<relu name='r{i}{j}'/></repeat></repeat>"), NULL, 0),
                   "r00:3x8x8 r01:3x8x8 r10:3x8x8 r11:3x8x8");
  refused(FILE_OF("", "", "<repeat times='2' index='i'><repeat times='2' index='i'><relu/></repeat></repeat>"),
          "index \"i\" is already the name of a parameter");
  refused(FILE_OF("", "", "<repeat times='2'><relu name='r'/></repeat>"), "a layer \"r\" already exists");
}
END_TEST

START_TEST(conditions_drop_elements)
{
  const char *text = FILE_OF("", "<param name='p' default='0'/>",
                             "<relu name='a'/><relu name='b' if='p'/>"
                             "<repeat times='1' if='p>1'><relu name='c'/></repeat>");
  const pm_attribute one[] = {{"p", "1"}}, two[] = {{"p", "2"}};
  ck_assert_str_eq(describe(text, NULL, 0), "a:3x8x8");
  ck_assert_str_eq(describe(text, one, 1), "a:3x8x8 b:3x8x8");
  ck_assert_str_eq(describe(text, two, 1), "a:3x8x8 b:3x8x8 c:3x8x8");
}
END_TEST

/* The empty path is the identity; each path starts from the layer before the join. */
START_TEST(paths_join)
{
  ck_assert_str_eq(describe(FILE_OF("", "", "<relu name='a'/><concat name='j'><path/><path>"
                                            "<conv2d name='c' out_channels='5' kernel='1'/></path>"
                                            "<path if='0'><relu name='never'/></path>"
                                            "<path><conv2d name='d' out_channels='7' kernel='1'/>"
                                            "<relu name='r'/></path>"
                                            "</concat><relu name='z'/>"), NULL, 0),
                   "a:3x8x8 c:5x8x8 d:7x8x8 r:7x8x8 j:15x8x8 z:15x8x8");
}
END_TEST

/* By name and by paths is the same network. */
START_TEST(inputs_by_name_and_by_path_agree)
{
  pm_error error = PM_ERROR_NONE;
  pm_network_totals by_path, by_name;
  pm_network *a = try_build(FILE_OF("", "", "<relu name='a'/><add name='j'><path/><path>"
                                            "<conv2d name='c' out_channels='3' kernel='1'/></path></add>"), NULL, 0,
                            &error);
  pm_network *b = try_build(FILE_OF("", "", "<relu name='a'/><conv2d name='c' out_channels='3' kernel='1'/>"
                                            "<add name='j' inputs='a c'/>"), NULL, 0, &error);
  ck_assert_msg(a != NULL && b != NULL, "%s", error.text);
  pm_network_get_totals(a, &by_path, NULL);
  pm_network_get_totals(b, &by_name, NULL);
  ck_assert_mem_eq(&by_path, &by_name, sizeof by_path);
  pm_network_free(a);
  pm_network_free(b);
}
END_TEST

START_TEST(inputs_are_looked_up_in_their_block)
{
  ck_assert_str_eq(describe(FILE_OF("<block id='b'><relu name='a'/><relu name='r'/><add name='j' inputs='a r'/>"
                                    "</block>",
                                    "", "<use block='b' name='x'/><use block='b' name='y' input='x.r'/>"
                                        "<concat name='k' inputs='x.j y.a input'/>"), NULL, 0),
                   "x.a:3x8x8 x.r:3x8x8 x.j:3x8x8 y.a:3x8x8 y.r:3x8x8 y.j:3x8x8 k:9x8x8");
  refused(FILE_OF("<block id='b'><add inputs='out out'/></block>", "", "<relu name='out'/><use block='b' name='x'/>"),
          "there is no layer \"x.out\" before this");
}
END_TEST

/* ResNet's stage written with blocks equals the same written out. */
START_TEST(a_block_equals_its_content)
{
  pm_error error = PM_ERROR_NONE;
  pm_network_totals used, written;
  pm_network *a = try_build(FILE_OF(BLOCK, "", "<repeat times='2'><use block='b' w='4'/></repeat>"), NULL, 0, &error);
  ck_assert_ptr_null(a); /* its layers would have one name */
  error = (pm_error)PM_ERROR_NONE;
  a = try_build(FILE_OF(BLOCK, "", "<repeat times='2' index='i'><use name='{i}' block='b' w='4'/></repeat>"), NULL, 0,
                &error);
  pm_network *b = try_build(FILE_OF("", "", "<conv2d out_channels='4' kernel='1'/><relu/>"
                                            "<conv2d out_channels='4' kernel='1'/><relu/>"), NULL, 0, &error);
  ck_assert_msg(a != NULL && b != NULL, "%s", error.text);
  pm_network_get_totals(a, &used, NULL);
  pm_network_get_totals(b, &written, NULL);
  ck_assert_mem_eq(&used, &written, sizeof used);
  pm_network_free(a);
  pm_network_free(b);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("build");
  TCase *tests = tcase_create("build");
  tcase_add_test(tests, layers_follow_each_other);
  tcase_add_test(tests, attributes_may_be_expressions);
  tcase_add_test(tests, parameters_from_outside_are_checked);
  tcase_add_test(tests, blocks_have_names_and_parameters_of_their_own);
  tcase_add_test(tests, repeats_count_from_zero);
  tcase_add_test(tests, conditions_drop_elements);
  tcase_add_test(tests, paths_join);
  tcase_add_test(tests, inputs_by_name_and_by_path_agree);
  tcase_add_test(tests, inputs_are_looked_up_in_their_block);
  tcase_add_test(tests, a_block_equals_its_content);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
