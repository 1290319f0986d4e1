/*
** Run settings of other programs: reading them as runs, and writing runs as such settings.
**
**     megatron    flags of Megatron-LM, on a command line or in a shell script
**     nemo        recipes of NeMo and Megatron-Bridge, Python or YAML
**     torchtitan  its TOML
**     deepspeed   its JSON
**     accelerate  YAML of Accelerate, with FSDP, DeepSpeed or Megatron-LM below it
**     vllm, sglang, trtllm  flags of serving engines
**     lora        adapters in one text: "rank=16,targets=q+v,layers=24-31,dora"; read only, and only by this name
**     experiment  a sweep as XML; read only, and only by this name: rows without a state, options of the sweep
*/
#ifndef PERFMODEL_SETTINGS_H
#define PERFMODEL_SETTINGS_H

#include "network.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a setting is treated. */
#define PM_SETTING_STATE_LIST(X)                                                               \
  X(READ, "read", "it is a field of the run")                                                  \
  X(ASSUMED, "assumed", "not in the file: the program's default, or implied by other settings")                        \
  X(NETWORK, "network", "a property of the network, which is named separately")                \
  X(NO_EFFECT, "no effect", "changes neither time nor memory")                                 \
  X(NOT_MODELLED, "not modelled", "has an effect that is not modelled; ignored")                \
  X(NOT_UNDERSTOOD, "not understood", "unknown setting; ignored")

typedef enum pm_setting_state {
#define PM_SETTING_STATE_ENUM(name, text, doc) PM_SETTING_STATE_##name,
  PM_SETTING_STATE_LIST(PM_SETTING_STATE_ENUM)
#undef PM_SETTING_STATE_ENUM
  PM_SETTING_STATE_COUNT
} pm_setting_state;

/* The settings of a text, a row each: line, key, value as they stand there; state; option, the field of a run
** ("tensor_parallel"), "global_batch" or a parameter of a network, and set_to, its value. `format` NULL: by what the
** text looks like; `file` is how messages name it. The table is the caller's; NULL with an error that names the
** line. */
PM_API pm_table *pm_settings_read(const char *format, const char *text, const char *file, pm_error *error);

/* Settings of a run, names and values as above, in the format of that program. Fields that the format cannot express
** are written as a comment, or omitted if it has no comments. Released with pm_string_free. */
PM_API char *pm_settings_write(const char *format, const pm_attribute *settings, size_t count, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
