#!/usr/bin/env python3
"""What breaks programs and files is found once a version is released, and nothing else is."""

import unittest

from baseline import broken, growing, is_released

RUN = ["run 16 bytes", "run.a int [1] @0", "run.b real [1] @8"]
GPU = ["gpu 8 bytes", "gpu.a real [1] @0"]
FUNCTIONS = ["int pm_predict_sized(const pm_plan *plan, const pm_run *runs, size_t run_size, size_t count)",
             "int pm__gpu_check(const pm_gpu *gpu, size_t count)",
             "int pm_group_evaluate_sized(const pm_call *calls, size_t call_size, pm_collective_time *results, size_t "
             "size)"]


class Released(unittest.TestCase):
    def test_of_the_changelog(self):
        header = "#define PM_VERSION_MAJOR 0\n#define PM_VERSION_MINOR 3\n"
        self.assertFalse(is_released("## 0.3.0 (unreleased)\n## 0.2.0 (2026-11-22)\n", header))
        self.assertTrue(is_released("## 0.3.1 (unreleased)\n## 0.3.0 (2027-01-01)\n", header))


class Broken(unittest.TestCase):
    def check(self, was, now, expected):
        self.assertEqual(broken(was, now, {"run"}), expected)

    def test_nothing_changed(self):
        self.check(RUN, RUN, [])

    def test_more_at_the_end_of_a_record_with_a_size(self):
        self.check(RUN, ["run 24 bytes", *RUN[1:], "run.c real [1] @16"], [])

    def test_more_in_the_padding_of_a_record(self):
        self.check(RUN, ["run 24 bytes", *RUN[1:], "run.c int [1] @12"], ["run 16 bytes"])

    def test_more_in_a_record_without_a_size(self):
        self.check(GPU, ["gpu 16 bytes", *GPU[1:], "gpu.b real [1] @8"], ["gpu 8 bytes"])

    def test_a_field_with_another_name_place_or_unit(self):
        for field in ("run.bb real [1] @8", "run.b real [1] @16", "run.b real [s] @8"):
            self.check(RUN, [*RUN[:2], field], [RUN[2]])

    def test_more_fields_of_a_record(self):
        was = ["size: the fields of run to optimizer but nodes"]
        self.check(was, ["size: the fields of run to micro-batch but nodes epoch-samples"], [])
        self.check(was, ["size: the fields of run to micro-batch but nodes precision"], was)
        self.check(was, ["size: the fields of run to precision but nodes"], was)

    def test_new_names(self):
        self.check(["predict --gpus N"], ["predict --gpus N", "predict --nodes N"], [])


class Growing(unittest.TestCase):
    def test_records_that_come_with_their_size(self):
        records = ["run", "gpu", "call", "collective", "prediction"]
        self.assertEqual(growing(FUNCTIONS, records), {"run", "call", "collective"})


if __name__ == "__main__":
    unittest.main()
