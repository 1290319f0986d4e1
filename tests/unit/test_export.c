/* Systems in one word, and entries written back as files: the same numbers to the last bit. */
#define _DEFAULT_SOURCE /* mkstemps */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fixtures.h"
#include "shipped.h"
#include "topology/drawing.h"

static pm_catalog *load(const char *xml)
{
  char path[] = "/tmp/perfmodel-export-XXXXXX.xml";
  pm_error error = PM_ERROR_NONE;
  int descriptor = mkstemps(path, 4);
  ck_assert(descriptor >= 0 && write(descriptor, xml, strlen(xml)) == (ssize_t)strlen(xml));
  close(descriptor);
  pm_catalog *own = pm_catalog_new(&error);
  ck_assert_msg(pm_catalog_load(own, path, &error) == PM_OK, "%s\n%s", error.text, xml);
  unlink(path);
  return own;
}

static pm_prediction predict(const pm_catalog *from, const char *name, int nodes)
{
  pm_error error = PM_ERROR_NONE;
  pm_prediction out;
  pm_run run = pm_run_make();
  pm_system *system = pm_catalog_new_system(from, name, &error);
  ck_assert_msg(system != NULL, "%s", error.text);
  pm_network *network = build_network("resnet50");
  const pm_network *networks[] = {network};
  const pm_system *systems[] = {system};
  pm_plan *plan = pm_plan_new(networks, 1, systems, 1, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  run.gpus = pm_system_get_machine(system)->gpus;
  run.nodes = nodes;
  ck_assert_int_eq(pm_predict(plan, &run, &out, 1), PM_OK);
  pm_plan_free(plan);
  pm_network_free(network);
  pm_system_free(system);
  return out;
}

static void check_same(const pm_catalog *a, const char *name, const pm_catalog *b, const char *copy, int nodes)
{
  pm_prediction one = predict(a, name, nodes), other = predict(b, copy, nodes);
  ck_assert_msg(one.status == other.status, "%s", name);
  if (one.status != PM_OK) return;
  ck_assert_msg(one.step_time == other.step_time && one.communication_time == other.communication_time &&
                one.step_time > 0, "%s: %.17g, exported %.17g", name, one.step_time, other.step_time);
}

static char *export_as(const char *kind, const char *name, const char *id)
{
  pm_error error = PM_ERROR_NONE;
  char *xml = pm_catalog_export(catalog, kind, name, id, &error);
  ck_assert_msg(xml != NULL, "%s", error.text);
  return xml;
}

/* Every shipped system, under an id of its own, without a note; and what stands for one without being in a list. */
START_TEST(an_exported_system_predicts_the_same)
{
  static const char *const implied[] = {"t4", "h100-sxm5*8:nvswitch", "rtx-4090*4:pcie"};
  const char *id;
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "system", i)) != NULL || i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      const char *name = k == 0 ? id : i < 3 ? implied[i] : NULL;
      if (name == NULL) continue;
      char *xml = export_as("system", name, "mine");
      pm_catalog *own = load(xml);
      ck_assert_msg(pm_catalog_get_note(own, 0) == NULL, "%s", pm_catalog_get_note(own, 0));
      check_same(catalog, name, own, "mine", 1);
      check_same(catalog, name, own, "mine", 2);
      pm_catalog_free(own);
      pm_string_free(xml);
    }
  }
}
END_TEST

/* The entry replaces the shipped one of the same id, and nothing changes. An export of it is the same text. */
START_TEST(an_exported_entry_replaces_itself)
{
  static const char *const entries[][2] = {{"system", "dgx-a100"}, {"gpu", "a100-sxm4-40gb"}, {"framework", "pt-nhwc"},
                                           {"link", "nvlink3-nvswitch"}};
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    char *xml = export_as(entries[i][0], entries[i][1], NULL);
    pm_catalog *own = load(xml);
    check_same(catalog, "dgx-a100", own, "dgx-a100", 2);
    char *again = pm_catalog_export(own, entries[i][0], entries[i][1], NULL, NULL);
    ck_assert_str_eq(xml, again);
    pm_catalog_free(own);
    pm_string_free(again);
    pm_string_free(xml);
  }
}
END_TEST

/* A file of a user's own that uses a GPU and a link of another takes them along. */
START_TEST(what_is_not_shipped_goes_with_it)
{
  static const char xml[] =
    "<perfmodel version=\"1\">"
    "<gpu id=\"own-gpu\" name=\"Own &amp; only\"><architecture>hopper</architecture><peak_fp32>20 TFLOP/s</peak_fp32>"
    "<memory>40 GB</memory><memory_bandwidth>1 TB/s</memory_bandwidth><pcie>own-link</pcie></gpu>"
    "<link id=\"own-link\" name=\"Own link\"><kind>pcie</kind><bandwidth>20 GB/s</bandwidth></link>"
    "<system id=\"own\" name=\"Own\"><gpu>own-gpu</gpu><gpus>4</gpus><topology>pcie</topology></system></perfmodel>";
  pm_catalog *first = load(xml);
  char *text = pm_catalog_export(first, "system", "own", NULL, NULL);
  pm_catalog *second = load(text);
  check_same(first, "own", second, "own", 1);
  pm_catalog_free(second);
  pm_catalog_free(first);
  pm_string_free(text);
}
END_TEST

/* ---- Words ---- */

static char *by_hand(const char *gpu_name, int gpus, const char *links)
{
  char *xml = (char *)malloc(4000);
  snprintf(xml, 4000, "<perfmodel version=\"1\"><system id=\"hand\" name=\"By "
                      "hand\"><gpu>%s</gpu><gpus>%d</gpus><graph>%s"
           "</graph></system></perfmodel>", gpu_name, gpus, links);
  return xml;
}

static void check_by_hand(const char *word, const char *gpu_name, int gpus, const char *links)
{
  char *xml = by_hand(gpu_name, gpus, links);
  pm_catalog *own = load(xml);
  check_same(catalog, word, own, "hand", 1);
  pm_system *drawn = pm_catalog_new_system(own, "hand", NULL), *said = build_system(word);
  char *one = pm__system_format_matrix(drawn, NULL), *other = pm__system_format_matrix(said, NULL);
  ck_assert_str_eq(one, other);
  ck_assert_int_eq(pm_system_count_edges(drawn), pm_system_count_edges(said));
  pm_string_free(one);
  pm_string_free(other);
  pm_system_free(drawn);
  pm_system_free(said);
  pm_catalog_free(own);
  free(xml);
}

#define HOST8 "<vertex kind='cpu' names='cpu0 cpu1'/><link type='upi-sapphire' from='cpu0' to='cpu1*4'/>" \
  "<link type='pcie5-x16' from='cpu0' to='gpu0 gpu1 gpu2 gpu3'/><link type='pcie5-x16' from='cpu1' to='gpu4 gpu5"      \
    " gpu6 gpu7'/>"

START_TEST(a_word_is_the_links_that_it_stands_for)
{
  check_by_hand("h100-sxm5*8:nvswitch", "h100-sxm5", 8,
                HOST8 "<vertex kind='nvswitch' names='s'/><link type='nvlink4-nvswitch' "
                "from='s' to='gpu0*18 gpu1*18 gpu2*18 gpu3*18 gpu4*18 gpu5*18 gpu6*18 gpu7*18'/>");
  check_by_hand("h100-sxm5*8:pcie", "h100-sxm5", 8, HOST8);
  check_by_hand("rtx-3090*4:pairs", "rtx-3090", 4,
                "<vertex kind='cpu' names='c'/><link type='pcie4-x16' from='c' to='gpu0 "
                "gpu1 gpu2 gpu3'/><link type='nvlink3-bridge-ga102' from='gpu0' to='gpu1*4'/>"
                "<link type='nvlink3-bridge-ga102' from='gpu2' to='gpu3*4'/>");
  check_by_hand("rtx-a6000*2:sockets", "rtx-a6000", 2,
                "<vertex kind='cpu' names='c'/><link type='host-sockets' from='c' to='gpu0 "
                "gpu1'/>");
}
END_TEST

/* <topology> in a file is the same; a <graph> beside it has the say. */
START_TEST(a_topology_in_a_file_is_the_word)
{
  pm_catalog *own = load("<perfmodel version=\"1\"><system id=\"mine\" name=\"Mine\"><gpu>H100 SXM5</gpu><gpus>8</gpus>"
                         "<topology>nvswitch</topology></system></perfmodel>");
  check_same(catalog, "h100-sxm5*8:nvswitch", own, "mine", 1);
  pm_catalog_free(own);
}
END_TEST

/* So many ports of a type of link, by any of its names. */
START_TEST(a_word_may_say_what_joins_nodes)
{
  pm_catalog *own = load("<perfmodel version=\"1\"><system id=\"mine\" name=\"Mine\"><gpu>H100 SXM5</gpu><gpus>8</gpus>"
                         "<topology>nvswitch</topology><network link=\"infiniband-ndr\" count=\"8\"/></system>"
                         "</perfmodel>");
  check_same(catalog, "h100-sxm5*8:nvswitch+8xNDR", own, "mine", 1);
  pm_system *system = pm_catalog_new_system(catalog, "h100-sxm5*8:nvswitch+8xNDR", NULL);
  ck_assert_double_eq_tol(pm_system_get_network_bandwidth(system), 8 * 400e9 / 8, 1);
  ck_assert_str_eq(pm_catalog_resolve(catalog, "system", "h100-sxm5*8:nvswitch+8xNDR", NULL),
                   "h100-sxm5*8:nvswitch+8xinfiniband-ndr");
  pm_system_free(system);
  pm_catalog_free(own);
}
END_TEST

static void refuse(const char *word, const char *fragment)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert(pm_catalog_new_system(catalog, word, &error) == NULL);
  ck_assert_msg(strstr(error.text, fragment) != NULL, "%s", error.text);
}

START_TEST(words_that_cannot_be_say_the_choices)
{
  refuse("h100-sxm5*8:ring", "unknown topology \"ring\"; those of \"h100-sxm5\" are: pcie, nvswitch, sockets");
  refuse("rtx-4090*4:pairs", "takes no NVLink bridge; its topologies are: pcie, sockets");
  refuse("rtx-4090*4:nvswitch", "no NVLinks that end at a switch");
  refuse("v100-sxm2-16gb*3", "one of pcie, nvswitch, pairs, sockets");
  refuse("4xmi300x", "does not state how its GPUs are connected");
  refuse("h100-sxm5:nvswitch", "write \"h100-sxm5*8:nvswitch\"");
  refuse("h10*8:nvswitch", "unknown GPU \"h10\"; did you mean \"h100-sxm5\"");
  refuse("h100-sxm5*0:nvswitch", "not a number of GPUs within 1 and 1024");
  refuse("h100-sxm5*1e9:nvswitch", "not a number of GPUs within 1 and 1024");
  refuse("*", "unknown GPU");
  refuse("h100-sxm5*8:nvswitch+ndr", "\"ndr\" is not a number of ports with their link type; write "
         "\"8xinfiniband-ndr\"");
  refuse("h100-sxm5*8:nvswitch+0xndr", "\"0xndr\" is not a number of ports");
  refuse("h100-sxm5*8:nvswitch+8xndx", "unknown link \"ndx\"");
  refuse("h100-sxm5*8:nvswitch+8xpcie5-x16", "does not join nodes; use infiniband or ethernet");
  refuse("8xh1000", "unknown system \"8xh1000\"");
  refuse("gtx1081", "unknown system \"gtx1081\"");
}
END_TEST

/* Every way to ask for a system knows words, whatever the spelling of the GPU; the id is the same each time. */
START_TEST(a_word_is_a_name_everywhere)
{
  const char *id = pm_catalog_resolve(catalog, "system", "NVIDIA H100 SXM5*8:nvswitch", NULL);
  ck_assert(id != NULL);
  ck_assert_str_eq(id, "h100-sxm5*8:nvswitch");
  ck_assert_ptr_eq(id, pm_catalog_resolve(catalog, "systems", "h100-sxm5*8:nvswitch", NULL));
  ck_assert_int_eq(machine(id).gpus, 8);
  pm_table *table = pm_catalog_show(catalog, "system", id, NULL);
  ck_assert(table != NULL);
  pm_table_free(table);
}
END_TEST

/* Every form in which people write a node is the same system: the server that is called so, else the usual links. */
START_TEST(a_node_is_named_as_people_write_it)
{
  static const char *const names[][2] = {
    {"8xH100", "dgx-h100"}, {"8 x H100", "dgx-h100"}, {"h100x8", "dgx-h100"}, {"H100 x 8", "dgx-h100"},
    {"8*h100", "dgx-h100"}, {"h100*8", "dgx-h100"}, {"h100:8", "dgx-h100"}, {"8xA100-80GB", "dgx-a100-80gb"},
    {"8xv100", "dgx1-v100"}, {"16xV100-SXM3-32GB", "dgx2"}, {"8xMI300X", "mi300x-node"}, {"4xGH200", "gh200-quad"},
    {"4xH100", "h100-sxm5*4:nvswitch"}, {"4 x NVIDIA GeForce RTX 4090", "rtx-4090*4:pcie"}, {"2xL40S", "l40s*2:pcie"},
    {"4xH100 PCIe", "h100-pcie*4:pcie"}, {"8xh100:pcie", "h100-sxm5*8:pcie"}, {"1xT4", "t4*1:pcie"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    const char *id = pm_catalog_resolve(catalog, "system", names[i][0], &error);
    ck_assert_msg(id != NULL, "%s: %s", names[i][0], error.text);
    ck_assert_str_eq(id, names[i][1]);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("export");
  TCase *tests = tcase_create("export");
  tcase_set_timeout(tests, 120);
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, an_exported_system_predicts_the_same);
  tcase_add_test(tests, an_exported_entry_replaces_itself);
  tcase_add_test(tests, what_is_not_shipped_goes_with_it);
  tcase_add_test(tests, a_word_is_the_links_that_it_stands_for);
  tcase_add_test(tests, a_topology_in_a_file_is_the_word);
  tcase_add_test(tests, a_word_may_say_what_joins_nodes);
  tcase_add_test(tests, words_that_cannot_be_say_the_choices);
  tcase_add_test(tests, a_word_is_a_name_everywhere);
  tcase_add_test(tests, a_node_is_named_as_people_write_it);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
