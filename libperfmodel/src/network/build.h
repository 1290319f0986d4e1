/* What the files that build a network from XML share. */
#ifndef PM_NETWORK_BUILD_H
#define PM_NETWORK_BUILD_H

#include "network/definition.h"
#include "network/layer_names.h"
#include "network/scope.h"

enum { PM__PARAMETERS_MAX = 32, PM__LAYERS_MAX = 100000, PM__STEPS_MAX = 1000000, PM__NESTING_MAX = 64 };

/* The whole construction. `error` is never NULL here. */
typedef struct pm__builder {
  const pm__document *document;
  pm_network *network;
  pm__arena arena;
  pm__layer_names names;
  int layers, steps; /* steps: elements carried out, so that loops without layers end too */
  pm_error *error;
} pm__builder;

/* Where layer names are put together: the network, or one use of a block. */
typedef struct pm__space {
  const char *prefix; /* "" or "layer1.0." */
  int *layers;        /* layers so far, for names of those that have none */
  const pm__element *block;
  const struct pm__space *outer;
} pm__space;

/* One place in the run: whose names, which parameters, how deep, and the layer just before. */
typedef struct pm__cursor {
  const pm__space *space;
  const pm__binding *scope;
  int depth, at;
} pm__cursor;

/* Fails at the element's place. Always returns false. */
bool pm__build_fail(pm__builder *builder, const pm__element *element, int status, const char *format, ...)
  PM__PRINTF(4, 5);

/* Puts the element's place to an error of a function that knows none. Always returns false. */
bool pm__build_failed(pm__builder *builder, const pm__element *element);

/* False with an error unless the element has only attributes of the list (ended by NULL). */
bool pm__build_known(pm__builder *builder, const pm__element *element, const char *const *names);

/* Binds the <param> children of `owner`, each to its given value (evaluated in `given_scope`) or its default.
** `giver` is where the values were given; NULL if outside the file. `bindings` has PM__PARAMETERS_MAX places. */
bool pm__build_parameters(pm__builder *builder, const pm__element *owner, const pm__document_attribute *given,
                          const pm__binding *given_scope, const pm__element *giver, pm__binding *bindings,
                          const pm__binding **scope);

/* The layers that a layer takes, in the arena. */
typedef struct pm__builder_inputs {
  int *numbers;
  int count;
} pm__builder_inputs;

/* Empties `inputs`, with room for so many. */
bool pm__build_inputs_room(pm__builder *builder, const pm__element *element, pm__builder_inputs *inputs, size_t most);

/* Those that the attributes of a layer name, or the one just before. */
bool pm__build_inputs(pm__builder *builder, const pm__element *element, const pm__cursor *cursor,
                      pm__builder_inputs *inputs);

/* False with an error unless the element is of a kind of layer. */
bool pm__build_check_kind(pm__builder *builder, const pm__element *element);

/* Adds the layer, or the input, that an element declares. */
bool pm__build_layer(pm__builder *builder, const pm__element *element, pm__cursor *cursor,
                     const pm__builder_inputs *inputs);
bool pm__build_input(pm__builder *builder, const pm__element *element, pm__cursor *cursor);

/* Sets *at to the layer that the element's attribute `input` names, if it has one. */
bool pm__build_start(pm__builder *builder, const pm__element *element, const pm__cursor *cursor, int *at);

/* Whether an attribute of <use> is not a parameter of the block. */
bool pm__build_is_reserved(const char *name);

#endif
