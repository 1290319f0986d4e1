/*
** Descriptors of attention implementations. Each is a file of this folder and one line of PM_ATTENTION_LIST
** (perfmodel/attention.h), from which come the table of all, the declarations below, and the choices of frameworks with
** their names and docs. A descriptor that does not state a trait of PM_ATTENTION_FIELDS does not compile.
*/
#ifndef PM_NETWORK_ATTENTION_H
#define PM_NETWORK_ATTENTION_H

#include "base/traits.h"
#include "perfmodel/attention.h"

#define PM__ATTENTION_DEFINE(name) \
  PM__TRAITS_DEFINE(pm_attention, pm__attention_##name, name, PM_ATTENTION_FIELDS)

#define PM__ATTENTION_DECLARE(name, ...) extern const pm_attention pm__attention_##name;
PM_ATTENTION_LIST(PM__ATTENTION_DECLARE)
#undef PM__ATTENTION_DECLARE

#endif
