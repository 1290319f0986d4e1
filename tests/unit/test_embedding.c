/* Tables looked up by index, learned vectors in a sequence, interactions of vectors. */
#include "one_layer.h"
#include <stdio.h>

START_TEST(an_embedding_is_its_table)
{
  pm_network *words = layer_of("embedding", "384", "entries=30522 features=768");
  const pm__layer *layer = last_layer(words);
  ck_assert_int_eq(layer->output.rank, 2);
  ck_assert(layer->output.size[0] == 384 && layer->output.size[1] == 768);
  ck_assert(layer->parameters == 23440896 && layer->parameter_tensors == 1);
  ck_assert(layer->mac == 0 && layer->flop[PM__FORWARD] == 0);
  /* Indices, the rows read, the rows written; the table as a whole only for its gradient. */
  ck_assert(elements_moved(words, PM__FORWARD, 2) == 2 * (384 + 2 * 384 * 768));
  ck_assert(elements_moved(words, PM__WGRAD, 0) == 23440896);
  ck_assert(elements_moved(words, PM__DGRAD, 1) == 0);
  pm_network_free(words);
}
END_TEST

/* A bag of one index is an embedding; more indices cost reading and adding, not output. */
START_TEST(a_bag_is_the_sum_of_its_rows)
{
  for (int bag = 1; bag <= 40; bag += 13) {
    char shape[32];
    snprintf(shape, sizeof shape, "26x%d", bag);
    pm_network *network = layer_of("embedding_bag", shape, "entries=1000 features=64");
    const pm__layer *layer = last_layer(network);
    ck_assert(layer->parameters == 64000);
    ck_assert(layer->elements_out == 26 * 64);
    ck_assert(layer->flop[PM__FORWARD] == 26.0 * (bag - 1) * 64);
    ck_assert(elements_moved(network, PM__FORWARD, 1) == 26.0 * (bag + bag * 64 + 64));
    pm_network_free(network);
  }
}
END_TEST

START_TEST(learned_vectors_are_the_same_for_every_sample)
{
  pm_network *positions = layer_of("positional_embedding", "80x768", "positions=512");
  const pm__layer *layer = last_layer(positions);
  ck_assert(layer->parameters == 512 * 768);
  ck_assert(layer->flop[PM__FORWARD] == 80 * 768);
  ck_assert(elements_moved(positions, PM__FORWARD, 5) == 5 * 2 * 80 * 768 + 80 * 768); /* the rows used, once */
  pm_network_free(positions);
  pm_network *tokens = layer_of("learned_token", "196x768", "count=2");
  layer = last_layer(tokens);
  ck_assert(layer->parameters == 2 * 768);
  ck_assert(layer->output.size[0] == 198 && layer->output.size[1] == 768);
  pm_network_free(tokens);
}
END_TEST

/* 26 tables and the dense features, 128 numbers each: 27 x 26 / 2 pairs. */
START_TEST(vectors_interact_in_pairs)
{
  pm_network *network = layer_of("dot_interaction", "128 26x128", "");
  const pm__layer *layer = last_layer(network);
  ck_assert(layer->elements_out == 128 + 351);
  ck_assert(layer->mac == 27 * 27 * 128);
  ck_assert(product_flop(network, PM__DGRAD) == 2 * product_flop(network, PM__FORWARD));
  ck_assert(layer->saved.elements == 27 * 128 && !layer->saved.inputs);
  pm_network_free(network);
  network = layer_of("dot_interaction", "16 16 16", "self=yes");
  ck_assert(last_layer(network)->elements_out == 16 + 6);
  pm_network_free(network);
}
END_TEST

/* The decoder's table is the embedding's: counted once, its work is not less. */
START_TEST(shared_parameters_are_counted_once)
{
  pm_network *own = layer_of("embedding", "10", "entries=100 features=8");
  pm_network *shared = layer_of("embedding", "10", "entries=100 features=8 shared=yes");
  ck_assert(last_layer(shared)->parameters == 0 && last_layer(shared)->parameter_tensors == 0);
  for (int pass = 0; pass < PM__PASSES; pass++)
    ck_assert(elements_moved(own, (pm__pass)pass, 3) == elements_moved(shared, (pm__pass)pass, 3));
  pm_network_free(own);
  pm_network_free(shared);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
  ck_refused("embedding", "80", "features=768", "needs entries");
  ck_refused("embedding", "80", "entries=0 features=768", "entries \"0\" is not within");
  ck_refused("embedding", "2x2x2x2x2x2", "entries=9 features=9", "leave none for the features");
  ck_refused("embedding", "80", "entries=1000000000000 features=1000000000", "implausibly large");
  ck_refused("positional_embedding", "513x768", "positions=512", "has 512 positions, its input has 513 tokens");
  ck_refused("positional_embedding", "768", "positions=512", "takes tokens x features, not 768");
  ck_refused("learned_token", "3x8x8", "", "takes tokens x features, not 3x8x8");
  ck_refused("dot_interaction", "128 26x64", "", "takes vectors of 128 features, not 26x64");
  ck_refused("dot_interaction", "2000000x4", "", "more than 1000000 vectors");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("embedding");
  TCase *tests = tcase_create("embedding");
  tcase_add_test(tests, an_embedding_is_its_table);
  tcase_add_test(tests, a_bag_is_the_sum_of_its_rows);
  tcase_add_test(tests, learned_vectors_are_the_same_for_every_sample);
  tcase_add_test(tests, vectors_interact_in_pairs);
  tcase_add_test(tests, shared_parameters_are_counted_once);
  tcase_add_test(tests, what_does_not_fit_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
