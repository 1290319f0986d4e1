/* What asks for the runs of any task: the descriptors by number and name, and predictions of a program's records. */
#include "task/task.h"
#include <stdio.h>
#include <string.h>
#include "record/sized.h"

static const pm__task *const tasks[] = {
#define TASK(name, descriptor) &pm__task_##descriptor,
  PM_TASK_LIST(TASK)
#undef TASK
};

const pm__task *pm__task_at(int32_t task)
{
  return task >= 0 && task < PM_TASK_COUNT ? tasks[task] : NULL;
}

const pm_task_facts *pm_task_get(int32_t task)
{
  const pm__task *found = pm__task_at(task);
  return found != NULL ? &found->facts : NULL;
}

int32_t pm_task_find(const char *name, pm_error *error)
{
  char known[PM_TEXT_MAX] = "";
  for (int32_t i = 0; i < PM_TASK_COUNT; i++) {
    size_t used = strlen(known);
    if (name != NULL && strcmp(name, tasks[i]->facts.name) == 0) return i;
    snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", tasks[i]->facts.name);
  }
  pm__fail(error, PM_STATUS_NOT_FOUND, "unknown task \"%.60s\"; known are %s", name != NULL ? name : "", known);
  return -1;
}

const char *pm__task_software_id(const pm__task *task, const pm_plan *plan, const void *run)
{
  int32_t index = pm__task_get(run, task->at.software), system = pm__task_get(run, task->at.system);
  const pm__plan_framework *framework = pm__plan_framework_at(plan, index, system);
  const pm__plan_profile *profile = pm__plan_profile_at(plan, index, system);
  const pm__plan_engine *engine = pm__plan_engine_at(plan, index, system);
  if (task->software == PM__TASK_ENGINES) return engine != NULL ? engine->profile.engine.id : "";
  if (task->software == PM__TASK_FRAMEWORKS) return framework != NULL ? framework->profile.framework.id : "";
  return profile != NULL ? profile->profile.id : "";
}

/* ---- For programs that know shorter records ---------------------------------------------------------------------- */

/* One run as the library knows it; NULL with an error. */
static const void *read_run(const pm_plan *plan, const pm__task *task, const void *run, size_t size,
                            pm__task_record *own, pm_error *error)
{
  if (task == NULL || plan == NULL || run == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a run needs a plan and a task"), (void *)NULL;
  if (pm__record_size_check(task->facts.run, size, error) != PM_OK) return NULL;
  return pm__record_read(&(pm__record_array){task->facts.run, run, size}, 0, own);
}

int pm_task_check(const pm_plan *plan, int32_t task, const void *run, size_t run_size, pm_error *error)
{
  pm__task_record own;
  const pm__task *of = pm__task_at(task);
  run = read_run(plan, of, run, run_size, &own, error);
  return run != NULL ? of->check(plan, run, error) : PM_STATUS_BAD_ARGUMENT;
}

int pm_task_get_memory(const pm_plan *plan, int32_t task, const void *run, size_t run_size, pm_memory_use *use,
                       size_t use_size, pm_error *error)
{
  pm__task_record own;
  pm_memory_use found;
  const pm__task *of = pm__task_at(task);
  if (use == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "memory needs a place for the result");
  if (pm__record_size_check("memory_use", use_size, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  run = read_run(plan, of, run, run_size, &own, error);
  int status = run != NULL ? of->get_memory(plan, run, &found, error) : PM_STATUS_BAD_ARGUMENT;
  if (status == PM_OK) pm__record_write(use, use_size, &found, sizeof found);
  return status;
}

int pm_task_find_batch(const pm_plan *plan, int32_t task, double time, void *run, size_t run_size, void *answer,
                       size_t answer_size, pm_error *error)
{
  pm__task_record own, found;
  const pm__task *of = pm__task_at(task);
  const void *given = read_run(plan, of, run, run_size, &own, error);
  if (given == NULL) return PM_STATUS_BAD_ARGUMENT;
  if (of->find_batch == NULL || answer == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a batch within a time needs a task with calls, and a place");
  if (pm__record_size_check(of->facts.answer, answer_size, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (given != own.bytes) memcpy(&own, given, of->at.size);
  int status = of->find_batch(plan, &own, time, &found, error);
  *pm__task_batch(of, run) = *pm__task_batch(of, &own);
  pm__record_write(answer, answer_size, &found, of->answer_size);
  return status;
}

typedef struct asked {
  const pm_plan *plan;
  const pm__task *task;
  unsigned columns;
} asked;

static int predict(const void *context, const void *runs, void *answers, size_t count)
{
  const asked *of = (const asked *)context;
  return of->task->predict(of->plan, of->columns, runs, answers, count);
}

int pm_task_predict(const pm_plan *plan, int32_t task, unsigned columns, const void *runs, size_t run_size,
                    void *answers, size_t answer_size, size_t count)
{
  const pm__task *of = pm__task_at(task);
  if (of == NULL || plan == NULL || (count > 0 && (runs == NULL || answers == NULL))) return PM_STATUS_BAD_ARGUMENT;
  if (run_size == of->at.size && answer_size == of->answer_size)
    return of->predict(plan, columns, runs, answers, count);
  if (pm__record_size_check(of->facts.run, run_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (pm__record_size_check(of->facts.answer, answer_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  return pm__record_each(predict, &(asked){plan, of, columns}, (pm__record_array){of->facts.run, runs, run_size},
                         (pm__record_array){of->facts.answer, answers, answer_size}, count);
}
