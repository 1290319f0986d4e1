/* Tasks: every descriptor says all that is asked of it, and its records are what it says. */
#include <string.h>
#include "fixtures.h"
#include "task/task.h"

/* Which place a field has in a record; past its end without such a field. */
static size_t place_of(const pm_record_type *type, const char *name)
{
  const pm_field *field = pm_record_find_field(type, name);
  return field != NULL ? field->offset : type->size;
}

START_TEST(records_are_those_of_the_descriptor)
{
  for (int32_t i = 0; i < PM_TASK_COUNT; i++) {
    const pm__task *task = pm__task_at(i);
    const pm_record_type *run = pm_record_type_find(task->facts.run), *answer = pm_record_type_find(task->facts.answer);
    ck_assert(run != NULL && run->size == task->at.size && run->size <= PM__TASK_ROOM);
    ck_assert(answer != NULL && answer->size == task->answer_size && answer->size <= PM__TASK_ROOM);
    ck_assert_uint_eq(place_of(run, "network_index"), task->at.network);
    ck_assert_uint_eq(place_of(run, "system_index"), task->at.system);
    ck_assert_uint_eq(place_of(run, task->facts.software), task->at.software);
    ck_assert_uint_eq(place_of(run, "gpus"), task->at.gpus);
    ck_assert_uint_eq(place_of(run, "nodes"), task->at.nodes);
    ck_assert_uint_eq(place_of(run, "precision"), task->at.precision);
    ck_assert_uint_eq(place_of(run, task->facts.batch), task->at.batch);
    ck_assert_uint_eq(place_of(answer, "status"), 0);
  }
}
END_TEST

START_TEST(descriptors_are_complete)
{
  for (int32_t i = 0; i < PM_TASK_COUNT; i++) {
    const pm__task *task = pm__task_at(i);
    ck_assert_int_eq(pm_task_find(task->facts.name, NULL), i);
    ck_assert_ptr_eq(pm_task_get(i), &task->facts);
    ck_assert(task->facts.unit != NULL && task->software != 0 && task->classes > 0);
    ck_assert(task->complete_counts != NULL && task->class_of != NULL && task->complete != NULL);
    ck_assert(task->list_assumptions != NULL && task->check != NULL && task->predict != NULL);
    ck_assert(task->get_memory != NULL && task->read != NULL && task->count_batches != NULL);
    ck_assert(task->find_batch != NULL || !task->facts.replicas);
    ck_assert(task->time != NULL && task->activations != NULL && task->list_parts != NULL);
  }
}
END_TEST

START_TEST(what_is_no_task)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_task_get(-1));
  ck_assert_ptr_null(pm_task_get(PM_TASK_COUNT));
  ck_assert_int_eq(pm_task_find("serving tea", &error), -1);
  ck_assert_ptr_nonnull(strstr(error.text, "unknown task \"serving tea\"; known are training, inference"));
  ck_assert_int_eq(pm_task_find(NULL, NULL), -1);
  ck_assert_int_eq(pm_task_predict(NULL, PM_TASK_TRAINING, 0, NULL, 0, NULL, 0, 0), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_task_check(NULL, PM_TASK_TRAINING, NULL, 0, NULL), PM_STATUS_BAD_ARGUMENT);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("task");
  TCase *tests = tcase_create("task");
  tcase_add_test(tests, records_are_those_of_the_descriptor);
  tcase_add_test(tests, descriptors_are_complete);
  tcase_add_test(tests, what_is_no_task);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
