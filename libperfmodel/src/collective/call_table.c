/* Writes calls of collectives and their results as a table. */
#include <stdlib.h>
#include "record/sized.h"
#include "collective/handle.h"
#include "report/order.h"

/* The call's columns that the result does not have. */
typedef struct question {
  int32_t collective, gpus, nodes;
  double bytes;
} question;

static const pm_choice collectives[] = {
#define CHOICE(id, word, meaning) {.name = word, .doc = meaning},
  PM_COLLECTIVE_LIST(CHOICE)
#undef CHOICE
  {.name = NULL}};

static const pm_field fields[] = {
  {"collective", "", "what is done", offsetof(question, collective), .kind = PM_FIELD_CHOICE, .choices = collectives,
   .show = PM_SHOW_MAIN},
  {"gpus", "1", "GPUs of each node", offsetof(question, gpus), .kind = PM_FIELD_INT, .show = PM_SHOW_MAIN},
  {"nodes", "1", "nodes", offsetof(question, nodes), .kind = PM_FIELD_INT, .show = PM_SHOW_MAIN},
  {"bytes", "B", "bytes of the whole buffer", offsetof(question, bytes), .kind = PM_FIELD_REAL, .show = PM_SHOW_MAIN},
};

static const pm_record_type question_type = {"question", "", sizeof(question), fields,
                                             sizeof fields / sizeof fields[0]};

static int add_questions(pm_table *table, const pm_group *group, const pm_call *calls, size_t count, pm_error *error)
{
  question *questions = (question *)calloc(count > 0 ? count : 1, sizeof *questions);
  if (questions == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < count; i++)
    questions[i] = (question){.collective = calls[i].collective, .gpus = group->count, .nodes = group->choice.nodes,
                              .bytes = calls[i].bytes};
  int status = pm_table_add_records(table, &question_type, questions, error);
  pm__table_mark_given(table);
  free(questions);
  return status;
}

static pm_table *table_of(const pm_group *group, const pm_call *calls, const pm_collective_time *results, size_t count,
                          pm_error *error)
{
  if (group == NULL || (count > 0 && (calls == NULL || results == NULL))) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a table needs a group, calls and results");
    return NULL;
  }
  pm_table *table = pm_table_new(count, error);
  if (table == NULL) return NULL;
  if (add_questions(table, group, calls, count, error) == PM_OK &&
      pm_table_add_records(table, pm_record_type_find("collective"), results, error) == PM_OK)
    return table;
  pm_table_free(table);
  return NULL;
}

pm_table *pm_collective_tabulate_sized(const pm_group *group, const pm_call *calls, size_t call_size,
                                    const pm_collective_time *results, size_t result_size, size_t count,
                                    pm_error *error)
{
  pm_table *table = NULL;
  void *own_calls = NULL, *own_results = NULL;
  if (pm__record_size_check("call", call_size, error) != PM_OK) return NULL;
  if (pm__record_size_check("collective", result_size, error) != PM_OK) return NULL;
  pm__record_array in = {"call", calls, call_size}, out = {"collective", results, result_size};
  const void *asked = pm__record_read_all(&in, count, &own_calls, error);
  const void *answers = pm__record_read_all(&out, count, &own_results, error);
  if ((asked != NULL || calls == NULL) && (answers != NULL || results == NULL))
    table = table_of(group, (const pm_call *)asked, (const pm_collective_time *)answers, count, error);
  free(own_calls);
  free(own_results);
  return table;
}
