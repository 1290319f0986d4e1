/* BERT layer by layer, built in code. */
#ifndef BERT_H
#define BERT_H

#include "perfmodel.h"

typedef struct bert_size {
  int layers, hidden, heads, inner, tokens;
  const char *dropout; /* rate */
} bert_size;

#define BERT_BASE(tokens) {12, 768, 12, 3072, tokens, "0.1"}
#define BERT_LARGE(tokens) {24, 1024, 16, 4096, tokens, "0.1"}

/* Embeddings, layers, pooler and a classifier of two classes. The caller frees it. */
pm_network *bert_network(bert_size size);

#endif
