/*
** Descriptors with every trait stated. A descriptor is a struct with a field for each trait, and a list of these
** fields, X(kind, name, ...). A file defines one by a macro that states each trait once:
**
**     #define ADAM(TRAIT) TRAIT(state, 8) TRAIT(accesses, 7)
**     PM__TRAITS_DEFINE(pm_optimizer, pm__optimizer_ADAM, ADAM, PM_OPTIMIZER_FIELDS)
**
** A trait that is missing or stated twice is a compile error that names it; plain C would set it to 0.
*/
#ifndef PM_BASE_TRAITS_H
#define PM_BASE_TRAITS_H

#define PM__TRAIT_VALUE(name, ...) .name = __VA_ARGS__,
#define PM__TRAIT_STATED(name, ...) char name;
#define PM__TRAIT_IS_STATED(kind, name, ...) (void)stated.name;

#if defined(__GNUC__)
#define PM__UNUSED __attribute__((unused))
#else
#define PM__UNUSED
#endif

#define PM__TRAITS_DEFINE(type, object, traits, fields)                   \
  PM__UNUSED static inline void object##_states_every_trait(void)        \
  {                                                                       \
    struct traits { traits(PM__TRAIT_STATED) } stated = {0};              \
    fields(PM__TRAIT_IS_STATED)                                           \
  }                                                                       \
  type const object = {traits(PM__TRAIT_VALUE)};

#endif
