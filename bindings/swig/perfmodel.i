/*
** The scripted interface, neutral: what Python, Lua and any later language see of libperfmodel.
**
** Every function stands here by hand, a theme in a file: where a script needs what the public function is, its
** declaration; else, in %inline, the C function that is wrapped. No C header is ever %included: these files are the
** design of the binding API. It is private to each language's package: users see the hand-written module on top of it.
** Names lose their "pm_".
**
** Catalogue of patterns. A language provides bindings/<language>/<language>.i with exactly these typemaps and macros:
**
**   pm_error *error              in, numinputs=0: a pm_error of PM_ERROR_NONE on the C stack.
**                                argout: raises when status is not PM_OK, with status, text, file and line.
**   const char *                 in: text, required (nothing, NULL or an inner zero byte raises). UTF-8.
**   double                       in: a number, required. Counts cross as doubles too and are checked in arrays.h.
**   int, double, const char *, char *  out: the language's own. A char * is the library's own string, freed after it.
**
**   PM_HANDLE(type)              macro: check of `type *` and `const type *`: NULL (None, nil) raises.
**   PM_HANDLES_IN(type)          macro: in of (const type *const *HANDLES, size_t COUNT): a list of handles.
**   PM_RECORDS_IN(name)          macro: in of (const pm_name *name, size_t name_count): an array of records, `name` for
**                                pm_record_type_find. Python: a C-contiguous buffer; Lua: a table of tables by field.
**   any_records                  in: an array of records of the type that the function's task, or study, has.
**   (const double *NUMBERS, size_t COUNT)            in: an array of numbers. May be empty.
**   (const char *const *NAMES, size_t COUNT)         in: an array of texts. May be empty.
**   (const pm_attribute *ATTRIBUTES, size_t COUNT)   in: text by text: dict, table. May be empty.
**
**   records                      out: an array of records, converted by `type`, then freed with records_free.
**   numbers                      out: an array of numbers, then freed with numbers_free.
**   names                        out: an array of texts, then freed with names_free.
**                                `data` is NULL when the call failed; `error` then raises after them.
**
**   PM_BORROWED(type)            macro: a handle of something that another handle owns.
**
** Handles are owned by the language's garbage collector. A study refers to its catalogue and systems, and a plan is its
** study's: the hand-written module keeps them alive. Functions worth releasing an interpreter lock for: study_plan,
** predict, search_evaluate; none that takes a network, to which another thread may add layers. Only one thread at a
** time may complete runs of a study or make its plan.
** All arguments are converted before anything is allocated in C.
*/
%module core

%{
#include "arrays.h"
#include "lab.h"
%}

/* What every language provides. */
#if defined(SWIGPYTHON)
%include "../python/python.i"
#elif defined(SWIGLUA)
%include "../lua/lua.i"
#else
#error "no typemaps for this language"
#endif

%rename("%(strip:[pm_])s") "";

/* What a function returns belongs to the language, but for names of the library's own. */
%feature("new", "1");
%typemap(newfree) char * "pm_string_free($1);"
%typemap(newfree) const char * "";

/* Handles: opaque, made by functions only, freed by the language. */
%define PM_OWNED(type)
PM_HANDLE(type)
%nodefaultctor type;
typedef struct type {
  %extend {
    ~type() { type##_free($self); }
  }
} type;
%enddef

PM_OWNED(pm_catalog)
PM_OWNED(pm_network)
PM_OWNED(pm_system)
PM_OWNED(pm_study)
PM_BORROWED(pm_plan)
PM_OWNED(pm_calibration)
PM_OWNED(pm_table)
PM_OWNED(pm_report)

PM_HANDLES_IN(pm_network)
PM_HANDLES_IN(pm_system)
PM_HANDLES_IN(pm_study)
PM_HANDLES_IN(pm_table)

PM_RECORDS_IN(gpu)
PM_RECORDS_IN(kernel_calibration)
PM_RECORDS_IN(kernel)
PM_RECORDS_IN(ring)
PM_RECORDS_IN(run)
PM_RECORDS_IN(framework)
PM_RECORDS_IN(cudnn_generation)
PM_RECORDS_IN(prediction_interval)
PM_RECORDS_IN(inference_profile)
PM_RECORDS_IN(size_goal)
PM_RECORDS_IN(serving_goal)
PM_RECORDS_IN(training_goal)
PM_RECORDS_IN(size_choice)
PM_RECORDS_IN(memory_profile)
PM_RECORDS_IN(dataset)
PM_RECORDS_IN(storage)
PM_RECORDS_IN(storage_access)
PM_RECORDS_IN(decoder)
PM_RECORDS_IN(loader)
PM_RECORDS_IN(machine)
PM_RECORDS_IN(input_run)
%apply (const pm_prediction_interval *prediction_interval, size_t prediction_interval_count) {
  (const pm_prediction_interval *input_interval, size_t input_interval_count)
};

%include "records.i"
%include "catalog.i"
%include "network.i"
%include "kernel.i"
%include "system.i"
%include "collective.i"
%include "study.i"
%include "report.i"
%include "prediction.i"
%include "memory.i"
%include "input.i"
%include "sizing.i"
%include "sensitivity.i"
%include "validation.i"
%include "settings.i"
%include "search.i"
%include "calibration.i"
%include "table.i"
%include "columns.i"
