/* The functions of the laboratory: linked, or of its shared library, or none. */
#include "lab_load.h"
#include <stdio.h>
#ifdef PM_LAB_FILE
#include <dlfcn.h>
#endif

#ifdef PM_LAB_LINKED

int pm_lab_load(pm_lab *lab, pm_error *error)
{
  (void)error;
#define LINKED(function) lab->function = pm_##function;
  PM_LAB_FUNCTIONS(LINKED)
#undef LINKED
  return PM_OK;
}

#else

static int fail(pm_error *error, const char *why)
{
  if (error == NULL || error->status != PM_OK) return PM_STATUS_NOT_FOUND;
  error->status = PM_STATUS_NOT_FOUND;
  snprintf(error->text, sizeof error->text, "validating and calibrating need the library perfmodel-lab: %.200s", why);
  return PM_STATUS_NOT_FOUND;
}

#ifdef PM_LAB_FILE

/* A pointer to a function, which ISO C lets no other pointer become. */
static int find(void *library, const char *name, void **function)
{
  *function = dlsym(library, name);
  return *function != NULL;
}

int pm_lab_load(pm_lab *lab, pm_error *error)
{
  void *library = dlopen(PM_LAB_FILE, RTLD_NOW | RTLD_LOCAL);
  int all = library != NULL;
#define FIND(function) all = all && find(library, "pm_" #function, (void **)(void *)&lab->function);
  PM_LAB_FUNCTIONS(FIND)
#undef FIND
  return all ? PM_OK : fail(error, dlerror());
}

#else

int pm_lab_load(pm_lab *lab, pm_error *error)
{
  (void)lab;
  return fail(error, "this program was built without it");
}

#endif
#endif
