/* Parameters of networks and blocks: declared by <param>, given by <use> or from outside. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "network/build.h"

bool pm__build_is_reserved(const char *name)
{
  static const char *const reserved[] = {"block", "name", "if", "input", NULL};
  for (const char *const *r = reserved; *r != NULL; r++)
    if (strcmp(*r, name) == 0) return true;
  return false;
}

static const char *kind_and_id(const pm__element *owner, char *text, size_t size)
{
  const char *id = pm__element_attribute(owner, "id");
  snprintf(text, size, "%.20s \"%.60s\"", owner->name, id != NULL ? id : "");
  return text;
}

static bool is_parameter(const pm__element *e)
{
  return strcmp(e->name, "param") == 0;
}

/* "classes, image", for messages. */
static const char *list_parameters(const pm__element *owner, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (const pm__element *e = owner->child; e != NULL && used + 1 < size; e = e->next) {
    const char *name = is_parameter(e) ? pm__element_attribute(e, "name") : NULL;
    if (name == NULL) continue;
    int length = snprintf(text + used, size - used, "%s%.40s", used > 0 ? ", " : "", name);
    used += length > 0 ? (size_t)length : 0;
  }
  return text[0] != '\0' ? text : "none";
}

static const pm__document_attribute *find_given(const pm__document_attribute *given, const char *name)
{
  while (given != NULL && strcmp(given->name, name) != 0) given = given->next;
  return given;
}

static bool fail_at_giver(pm__builder *builder, const pm__element *giver)
{
  if (giver != NULL) pm__build_failed(builder, giver);
  return false;
}

static bool check_declaration(pm__builder *builder, const pm__element *e, const pm__binding *scope)
{
  static const char *const known[] = {"name", "default", "least", "multiple", NULL};
  const char *name = pm__element_attribute(e, "name");
  if (!pm__build_known(builder, e, known)) return false;
  if (name == NULL) return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<param> needs a name");
  if (e->child != NULL || e->text[0] != '\0')
    return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<param> must be empty; its value is the default");
  if (!pm__is_word(name, strlen(name)) || pm__build_is_reserved(name))
    return pm__build_fail(builder, e, PM_STATUS_BAD_VALUE, "\"%.60s\" cannot be the name of a parameter", name);
  if (pm__scope_find(scope, name, strlen(name)) != NULL)
    return pm__build_fail(builder, e, PM_STATUS_BAD_VALUE, "parameter \"%.60s\" is declared twice", name);
  return true;
}

/* The number that an attribute of the declaration states, of the parameters before it; false with an error. */
static bool stated(pm__builder *builder, const pm__element *e, const char *attribute, const pm__binding *before,
                   double otherwise, double *value)
{
  const char *text = pm__element_attribute(e, attribute);
  *value = otherwise;
  return text == NULL || pm__scope_number(before, text, value, builder->error) == PM_OK || pm__build_failed(builder, e);
}

/* Sizes that the published networks refuse, though every layer would take them. */
static bool check_limits(pm__builder *builder, const pm__element *owner, const pm__element *e,
                         const pm__element *giver, const pm__binding *binding)
{
  char who[100];
  double least, multiple;
  if (!stated(builder, e, "least", binding->next, -INFINITY, &least) ||
      !stated(builder, e, "multiple", binding->next, 1, &multiple))
    return false;
  if (binding->value < least)
    pm__fail(builder->error, PM_STATUS_BAD_SHAPE, "%s needs %s of at least %g, not %g",
             kind_and_id(owner, who, sizeof who),
             binding->name, least, binding->value);
  else if (pm__element_attribute(e, "multiple") != NULL && fmod(binding->value, multiple) != 0)
    pm__fail(builder->error, PM_STATUS_BAD_SHAPE, "%s needs %s in multiples of %g, not %g",
             kind_and_id(owner, who, sizeof who), binding->name, multiple, binding->value);
  else return true;
  return fail_at_giver(builder, giver);
}

/* The value of one parameter: given, else default. */
static bool evaluate(pm__builder *builder, const pm__element *owner, const pm__element *e,
                     const pm__document_attribute *given,
                     const pm__binding *given_scope, const pm__element *giver, pm__binding *binding)
{
  char who[100];
  const char *otherwise = pm__element_attribute(e, "default");
  given = find_given(given, binding->name);
  if (given != NULL) {
    if (pm__scope_value(given_scope, given->value, &binding->value, builder->error) == PM_OK) return true;
    return fail_at_giver(builder, giver);
  }
  if (otherwise == NULL) {
    pm__fail(builder->error, PM_STATUS_BAD_VALUE, "%s needs its parameter \"%.60s\"",
             kind_and_id(owner, who, sizeof who),
             binding->name);
    return fail_at_giver(builder, giver != NULL ? giver : e);
  }
  if (pm__scope_value(binding->next, otherwise, &binding->value, builder->error) == PM_OK) return true;
  return pm__build_failed(builder, e);
}

static bool check_given(pm__builder *builder, const pm__element *owner, const pm__document_attribute *given,
                        const pm__binding *scope, const pm__element *giver)
{
  char who[100], known[200];
  for (; given != NULL; given = given->next) {
    if (giver != NULL && pm__build_is_reserved(given->name)) continue;
    if (pm__scope_find(scope, given->name, strlen(given->name)) != NULL) continue;
    pm__fail(builder->error, PM_STATUS_NOT_FOUND, "%s has no parameter \"%.60s\"; it has %s",
             kind_and_id(owner, who, sizeof who), given->name, list_parameters(owner, known, sizeof known));
    return fail_at_giver(builder, giver);
  }
  return true;
}

bool pm__build_parameters(pm__builder *builder, const pm__element *owner, const pm__document_attribute *given,
                          const pm__binding *given_scope, const pm__element *giver, pm__binding *bindings,
                          const pm__binding **scope)
{
  int count = 0;
  *scope = NULL;
  for (const pm__element *e = owner->child; e != NULL; e = e->next) {
    if (!is_parameter(e)) continue;
    if (!check_declaration(builder, e, *scope)) return false;
    if (count == PM__PARAMETERS_MAX)
      return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "more than %d parameters", PM__PARAMETERS_MAX);
    pm__binding *binding = &bindings[count++];
    binding->name = pm__element_attribute(e, "name");
    binding->next = *scope;
    if (!evaluate(builder, owner, e, given, given_scope, giver, binding)) return false;
    if (!check_limits(builder, owner, e, giver, binding)) return false;
    *scope = binding;
  }
  return check_given(builder, owner, given, *scope, giver);
}
