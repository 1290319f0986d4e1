/* Language models, translators and recommenders of the zoo against published parameter counts and closed forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"

static pm_catalog *catalog;

static void open_catalog(void)
{
  pm_error error = PM_ERROR_NONE;
  catalog = pm_catalog_new(&error);
  ck_assert_msg(catalog != NULL, "%s", error.text);
}

static void close_catalog(void)
{
  pm_catalog_free(catalog);
}

static pm_network_totals totals_of(const char *id, const pm_attribute *sets, size_t count)
{
  pm_network_totals totals;
  pm_error error = PM_ERROR_NONE;
  pm_network *network = pm_catalog_new_network(catalog, id, sets, count, &error);
  ck_assert_msg(network != NULL, "%s: %s", id, error.text);
  ck_assert_int_eq(pm_network_get_totals(network, &totals, NULL), PM_OK);
  pm_network_free(network);
  return totals;
}

/* Exact counts: what the published weights hold (Transformers' model cards and num_parameters, tied weights once; for
** NCF and DLRM the logs of the reference implementations: tables plus layers as their papers define them; DeepSeek-V3
** with the biases of its experts' scores). */
static const struct {
  const char *id;
  double parameters;
} exact[] = {
  {"bert-base", 109482240},      {"bert-large", 335141888},     {"gpt2", 124439808},
  {"gpt2-medium", 354823168},    {"gpt2-large", 774030080},     {"gpt2-xl", 1557611200},
  {"llama2-7b", 6738415616},     {"llama2-13b", 13015864320},   {"llama2-70b", 68976648192},
  {"llama3-8b", 8030261248},     {"llama3-70b", 70553706496},   {"mixtral-8x7b", 46702792704},
  {"ncf", 31832577},             {"bart-large", 406291456},    {"llama3-405b", 405853388800},
  {"mixtral-8x22b", 140630071296}, {"bloom-176b", 176247271424}, {"qwen3-0.6b", 596049920},
  {"qwen3-1.7b", 1720574976},    {"qwen3-4b", 4022468096},      {"qwen3-8b", 8190735360},
  {"qwen3-14b", 14768307200},    {"qwen3-32b", 32762123264},    {"qwen3-30b-a3b", 30532122624},
  {"qwen3-235b-a22b", 235093634560}, {"gpt-oss-20b", 20914757184}, {"gpt-oss-120b", 116829156672},
  {"deepseek-v3", 671026419200}, {"t5-small", 60506624},        {"t5-base", 222903552},
  {"t5-large", 737668096},       {"t5-3b", 2851598336},         {"t5-11b", 11307321344},
};

START_TEST(parameters_are_those_of_the_weights)
{
  pm_network_totals totals = totals_of(exact[_i].id, NULL, 0);
  ck_assert_msg(totals.parameters == exact[_i].parameters, "%s: %.0f", exact[_i].id, totals.parameters);
}
END_TEST

/* Rounded counts, as papers print them. Transformer base and big: the paper prints 65 and 213 M for a vocabulary of
** "about 37000" shared pieces, which makes 63.0 and 214.2 M; the other rows agree to the printed digits. */
static const struct {
  const char *id;
  double millions, tolerance;
  const char *source;
} printed[] = {
  {"gpt3-13b", 13000, 0.012, "Brown et al. 2020, table 2.1"},
  {"gpt3-175b", 175000, 0.003, "Brown et al. 2020, table 2.1"},
  {"transformer-base", 65, 0.031, "Vaswani et al. 2017, table 3"},
  {"transformer-big", 213, 0.006, "Vaswani et al. 2017, table 3"},
  {"transformer-xl", 151, 0.004, "Dai et al. 2019, table 1"},
  {"dlrm", 540, 0.002, "Shi et al. 2020, section 5 (Criteo Kaggle, 16 features)"},
  {"mpt-7b", 6700, 0.01, "Hugging Face mosaicml/mpt-7b: 6.7B"},
  {"mpt-30b", 29950, 0.002, "Hugging Face mosaicml/mpt-30b: 29.95B"},
  {"kimi-k2", 1026000, 0.001, "its page: 1T; 1026B of Megatron Bridge"},
  {"nemotron4-15b", 15600, 0.003, "Parmar et al. 2024: 3.2B of embeddings and 12.5B others"},
  {"nemotron4-340b", 341000, 0.001, "NVIDIA 2024: 9.4B of embeddings and 331.6B others"},
  {"nemotron3-8b", 8540, 0.001, "NVIDIA 2023: 8B"},
  {"gnmt", 161, 0.004, "GNMT v2 of Deep Learning Examples"},
  {"jasper-10x5", 333, 0.0012, "Li et al. 2019, table 3 (DR 10x5)"},
  {"quartznet-15x5", 18.9, 0.0015, "Kriman et al. 2020, table 2"},
};

START_TEST(parameters_are_those_of_the_papers)
{
  double millions = totals_of(printed[_i].id, NULL, 0).parameters * 1e-6;
  ck_assert_msg(fabs(millions / printed[_i].millions - 1) <= printed[_i].tolerance, "%s: %.2f M, printed %.0f (%s)",
                printed[_i].id, millions, printed[_i].millions, printed[_i].source);
}
END_TEST

/* Five products of hidden x hidden and two of the feed-forward layers with their biases, two norms, two biases of the
** queries for all layers, a bias for each word and for each of three groups. */
static double xl_parameters(double layers, double hidden, double inner, double tables)
{
  double layer = 5 * hidden * hidden + 2 * hidden * inner + inner + hidden + 4 * hidden;
  return tables + layers * layer + 2 * hidden + 267735 + 3 * (hidden + 1);
}

/* The sizes of the set-ups: one table of 512, or four of 1024 down to 16 with their projections, and that of the
** head. */
START_TEST(transformer_xl_has_what_its_sizes_make)
{
  double base = 267735.0 * 512;
  double large = 19997.0 * 1024 + 20000 * 256 + 160000 * 64 + 67738 * 16 + 1024 * (1024 + 256 + 64 + 16) + 1024 * 1024;
  ck_assert(totals_of("transformer-xl-512", NULL, 0).parameters == xl_parameters(16, 512, 2048, base));
  ck_assert(totals_of("transformer-xl-large", NULL, 0).parameters == xl_parameters(18, 1024, 4096, large));
}
END_TEST

/* Encoder: 12 H^2 per token and 2 S H per token and layer; the paper's Table II prints 0.19 and 2.87 G. */
static double bert_mac(double layers, double hidden, double seq)
{
  return layers * (12 * hidden * hidden * seq + 2 * seq * seq * hidden);
}

START_TEST(bert_costs_what_its_layers_cost)
{
  const double pooler = 768.0 * 768;
  for (int seq = 16; seq <= 512; seq *= 2) {
    char text[16];
    snprintf(text, sizeof text, "%d", seq);
    pm_attribute set = {"seq", text};
    ck_assert(totals_of("bert-base", &set, 1).mac == bert_mac(12, 768, seq) + pooler);
    ck_assert(totals_of("bert-large", &set, 1).mac == bert_mac(24, 1024, seq) + 1024.0 * 1024);
  }
  pm_network_totals squad = totals_of("bert-squad", NULL, 0), swag = totals_of("bert-swag", NULL, 0);
  ck_assert(squad.mac == bert_mac(12, 768, 384) + pooler + 384.0 * 768 * 2);
  ck_assert(swag.mac == 4 * (bert_mac(12, 768, 80) + pooler + 768));
  ck_assert_double_eq_tol(squad.mac * 1e-9, 35.33, 0.005);
  ck_assert_double_eq_tol(swag.mac * 1e-9 / 4, 6.91, 0.005);
  ck_assert_double_eq_tol(squad.parameters * 1e-6, 109.5, 0.05); /* bnl2019 table II */
  ck_assert_double_eq_tol(swag.parameters * 1e-6, 109.5, 0.05);
}
END_TEST

/* A decoder of causal attention counts full scores in MAC; grouped heads do not change them. */
START_TEST(llama_costs_what_its_layers_cost)
{
  const double s = 4096, h = 8192, f = 28672, kv = 1024, layers = 80;
  double per_token = layers * (2 * h * h + 2 * h * kv + 3 * h * f + 2 * s * h) + 32000 * h;
  ck_assert(totals_of("llama2-70b", NULL, 0).mac == s * per_token);
}
END_TEST

/* 8 experts are stored, 2 are paid for: between a dense model of one expert and one of eight. */
START_TEST(experts_cost_what_is_chosen)
{
  const double h = 4096, f = 14336, layers = 32, s = 4096;
  pm_network_totals mixtral = totals_of("mixtral-8x7b", NULL, 0);
  double dense = layers * (2 * h * h + 2 * h * 1024 + 2 * s * h) + 32000 * h;
  ck_assert(mixtral.mac == s * (dense + layers * (h * 8 + 2 * 3 * h * f)));
}
END_TEST

START_TEST(the_translator_grows_with_its_embedding)
{
  double last = 0;
  const char *const sizes[] = {"512", "1024", "2048"};
  for (int i = 0; i < 3; i++) {
    pm_attribute set = {"embedding", sizes[i]};
    pm_network_totals totals = totals_of("seq2seq", &set, 1);
    double e = pow(2, 9 + i), v = 30000;
    double lstm = 2 * 4 * (e / 2) * (e + e / 2 + 2) + 4 * e * (e + e + 2);
    ck_assert(totals.parameters == 2 * v * e + lstm + e * (2 * e + 1) + (2 * e * e + e) + (e * v + v));
    ck_assert_double_gt(totals.mac, last);
    last = totals.mac;
  }
}
END_TEST

/* GPT by its sizes, as Narayanan et al. 2021 count them (equation 2): the table, the positions, and for each layer 12
** h^2 of weights and 13 h of biases and norms; their equation leaves out the last norm. */
static const struct {
  const char *hidden, *layers, *heads;
  double parameters; /* 1e9 */
} sized[] = {
  {"6144", "48", "64", 22.0743}, {"12288", "96", "96", 174.616}, {"20480", "105", "128", 529.601},
  {"25600", "128", "160", 1008.04}, {"2304", "24", "24", 1.7}, {"16384", "96", "128", 310.1},
};

START_TEST(a_gpt_has_what_its_sizes_make)
{
  const pm_attribute sets[] = {{"hidden", sized[_i].hidden}, {"layers", sized[_i].layers}, {"heads", sized[_i].heads}};
  double h = strtod(sized[_i].hidden, NULL), l = strtod(sized[_i].layers, NULL), v = 51200, s = 2048;
  pm_network_totals totals = totals_of("gpt", sets, 3);
  double printed_digits = sized[_i].parameters < 2 ? 0.03 : sized[_i].parameters == 310.1 ? 2e-4 : 1e-5;
  ck_assert(totals.parameters == l * (12 * h * h + 13 * h) + (v + s) * h + 2 * h);
  ck_assert_double_le(fabs(totals.parameters * 1e-9 / sized[_i].parameters - 1), printed_digits);
  ck_assert(totals.mac == s * (l * (12 * h * h + 2 * s * h) + v * h));
}
END_TEST

/* What a token uses, found in two lengths: products are linear in it, scores and contexts quadratic. */
static double used_by_a_token(const char *id)
{
  const pm_attribute one = {"seq", "512"}, two = {"seq", "1024"};
  return (4 * totals_of(id, &one, 1).mac - totals_of(id, &two, 1).mac) / 1024;
}

/* Besides products a token uses its table, the norms, and the biases of the experts' scores. */
START_TEST(experts_that_a_token_uses_are_as_published)
{
  double mixtral = 32000.0 * 4096 + 65 * 4096;
  double deepseek = 129280.0 * 7168 + 61 * (2 * 7168 + 1536 + 512) + 7168 + 58 * 256;
  ck_assert(used_by_a_token("mixtral-8x7b") + mixtral == 12879925248);
  ck_assert(used_by_a_token("deepseek-v3") + deepseek == 37552297472);
}
END_TEST

/* The networks by their sizes are those that their names say without any. */
START_TEST(sizes_left_out_are_those_of_a_network)
{
  const pm_attribute dense[] = {{"experts", "0"}, {"expert_ffn", "11008"}, {"kv_heads", "32"}};
  pm_network_totals llama = totals_of("llama2-7b", NULL, 0);
  ck_assert(totals_of("moe", NULL, 0).flop == totals_of("mixtral-8x7b", NULL, 0).flop);
  ck_assert(totals_of("llama", NULL, 0).flop == llama.flop);
  ck_assert(totals_of("moe", dense, 3).training_flop == llama.training_flop);
  const pm_attribute bloom[] = {{"hidden", "14336"}, {"layers", "70"}, {"heads", "112"}, {"vocabulary", "250880"},
                                {"positions", "0"}, {"dropout", "0"}, {"embedding_norm", "1"}};
  ck_assert(totals_of("gpt", bloom, 7).flop == totals_of("bloom-176b", NULL, 0).flop);
}
END_TEST

START_TEST(heads_must_divide_the_features)
{
  const pm_attribute sets[] = {{"hidden", "1000"}, {"heads", "7"}}, given[] = {{"hidden", "1000"}, {"heads", "7"},
                                                                             {"head_features", "128"}};
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_catalog_new_network(catalog, "llama", sets, 2, &error));
  ck_assert_msg(strstr(error.text, "head_features of at least 1") != NULL, "%s", error.text);
  ck_assert(totals_of("llama", given, 3).parameters > 0);
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof table[0])

int main(void)
{
  Suite *suite = suite_create("zoo of sequences");
  TCase *tests = tcase_create("sequences");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_loop_test(tests, parameters_are_those_of_the_weights, 0, ROWS(exact));
  tcase_add_loop_test(tests, parameters_are_those_of_the_papers, 0, ROWS(printed));
  tcase_add_test(tests, bert_costs_what_its_layers_cost);
  tcase_add_test(tests, transformer_xl_has_what_its_sizes_make);
  tcase_add_test(tests, llama_costs_what_its_layers_cost);
  tcase_add_test(tests, experts_cost_what_is_chosen);
  tcase_add_loop_test(tests, a_gpt_has_what_its_sizes_make, 0, ROWS(sized));
  tcase_add_test(tests, experts_that_a_token_uses_are_as_published);
  tcase_add_test(tests, sizes_left_out_are_those_of_a_network);
  tcase_add_test(tests, heads_must_divide_the_features);
  tcase_add_test(tests, the_translator_grows_with_its_embedding);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
