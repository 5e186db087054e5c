"""Host tests of the record's scripts."""
import json
import pathlib
import tempfile
import unittest

import record
import record_freshness
import tree_hash

CLEAN = {"format": 1, "date": "2026-01-01T00:00Z", "device": {"name": "GPU"}, "tree_hash": "sha256:x",
         "suites": {"kernels": {"tests": 3, "failed": 0}}}

CATCH2_V2 = """<Catch name="x"><Group name="x">
<TestCase name="good"><OverallResult success="true"/></TestCase>
<TestCase name="bad"><Expression success="false"><Expanded> 3 == 4 </Expanded></Expression><OverallResult success="false"/></TestCase>
<OverallResults successes="7" failures="2" expectedFailures="0"/></Group>
<OverallResults successes="7" failures="2" expectedFailures="0"/></Catch>"""
CATCH2_V3 = """<Catch2TestRun name="x"><TestCase name="good"><OverallResult success="true" skips="0"/></TestCase>
<OverallResults successes="5" failures="0" expectedFailures="0" skips="0"/>
<OverallResultsCases successes="1" failures="0" expectedFailures="0" skips="0"/></Catch2TestRun>"""


class TreeHash(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for name in ("kernels/a.cu", "src/x/b.cpp", "include/c.h", "tests/d.cpp"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(name)
        self.hash = tree_hash.tree_hash(self.root)

    def tearDown(self):
        self.folder.cleanup()

    def test_files(self):
        self.assertEqual(tree_hash.tree_files(self.root), ["include/c.h", "kernels/a.cu", "src/x/b.cpp"])

    def test_content_and_names_count(self):
        (self.root / "kernels/a.cu").write_text("changed")
        self.assertNotEqual(tree_hash.tree_hash(self.root), self.hash)
        (self.root / "kernels/a.cu").write_text("kernels/a.cu")
        self.assertEqual(tree_hash.tree_hash(self.root), self.hash)
        (self.root / "kernels/a.cu").rename(self.root / "kernels/e.cu")
        self.assertNotEqual(tree_hash.tree_hash(self.root), self.hash)

    def test_build_output_and_other_folders_do_not_count(self):
        (self.root / "src/x/b.o").write_text("object")
        (self.root / "src/__pycache__").mkdir()
        (self.root / "src/__pycache__/m.py").write_text("cache")
        (self.root / "tests/d.cpp").write_text("changed")
        self.assertEqual(tree_hash.tree_hash(self.root), self.hash)


class Freshness(unittest.TestCase):
    def judge(self, record_object, present="sha256:x"):
        return record_freshness.judge(json.dumps(record_object), present)

    def test_clean_and_present(self):
        code, text = self.judge(CLEAN)
        self.assertEqual(code, 0)
        self.assertNotIn("WARNING", text)

    def test_moved_on_is_a_warning(self):
        code, text = self.judge(CLEAN, "sha256:y")
        self.assertEqual(code, 0)
        self.assertIn("WARNING", text)

    def test_no_record_is_a_warning(self):
        code, text = record_freshness.judge(None, "sha256:x")
        self.assertEqual(code, 0)
        self.assertIn("WARNING", text)

    def test_malformed(self):
        self.assertEqual(record_freshness.judge("{", "sha256:x")[0], 1)
        self.assertEqual(record_freshness.judge("[]", "sha256:x")[0], 1)
        for key in record_freshness.REQUIRED:
            self.assertEqual(self.judge({k: v for k, v in CLEAN.items() if k != key})[0], 1, key)

    def test_failures(self):
        for broken in ({"suites": {}}, {"suites": {"fuzz": {"tests": 1, "failed": 1}}},
                       {"suites": {"fuzz": {"tests": 0, "failed": 0}}}, {"check": {"failed": 2}},
                       {"soak": {"tests": 1, "failed": 1}}, {"soak": {"tests": 0, "failed": 0}},
                       {"check_sm75": {"failed": 1}}, {"bench": {"error": "exit code 1"}},
                       {"ladder": {"error": "exit code 1"}},
                       {"sanitizer": {"memcheck": {"errors": 1}}}):
            self.assertEqual(self.judge({**CLEAN, **broken})[0], 1, broken)

    def test_soak_is_shown(self):
        soak = {"tests": 1, "failed": 0, "soak_seconds": 480, "calls": 77, "memory_growth_bytes": 0}
        for present in ("sha256:x", "sha256:y"):
            self.assertIn("soak of 480 s: 77 calls right", self.judge({**CLEAN, "soak": soak}, present)[1])
            self.assertIn("no soak", self.judge(CLEAN, present)[1])


class Reports(unittest.TestCase):
    def test_catch2_version_2(self):
        result = record.parse_suite(CATCH2_V2, "calls kernels 100\ncalls entries 20\n", 1)
        self.assertEqual((result["tests"], result["failed"], result["assertions"], result["calls"]), (2, 1, 9, 120))
        self.assertEqual(result["failed_tests"], {"bad": ["expanded: 3 == 4"]})

    def test_catch2_version_3(self):
        result = record.parse_suite(CATCH2_V3, "", 0)
        self.assertEqual((result["tests"], result["failed"], result["assertions"]), (1, 0, 5))

    def test_crash_is_a_failure(self):
        self.assertEqual(record.parse_suite("<Catch><Group>", "Segmentation fault", 139)["failed"], 1)
        self.assertEqual(record.parse_suite("", "", 124)["failed"], 1)
        self.assertEqual(record.parse_suite(CATCH2_V3, "", 139)["failed"], 1)

    def test_soak(self):
        output = "calls soak 5\nsoak of 480 s, 3 new handles, device memory grew by -2097152 bytes\n"
        result = record.parse_soak(record.parse_suite(CATCH2_V3, output, 0), output, 480)
        self.assertEqual((result["failed"], result["calls"], result["soak_seconds"], result["new_handles"],
                          result["memory_growth_bytes"]), (0, 5, 480, 3, -2097152))
        self.assertEqual(record.parse_soak(record.parse_suite(CATCH2_V3, "", 0), "", 480)["failed"], 1)

    def test_sanitizer(self):
        self.assertEqual(record.parse_sanitizer("========= ERROR SUMMARY: 0 errors", 0)["errors"], 0)
        self.assertEqual(record.parse_sanitizer("========= ERROR SUMMARY: 3 errors", 9)["errors"], 3)
        self.assertEqual(record.parse_sanitizer(
            "========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)", 9)["errors"], 2)
        self.assertEqual(record.parse_sanitizer("Device not supported", 1)["errors"], 1)
        self.assertEqual(record.parse_sanitizer("========= ERROR SUMMARY: 0 errors", 1)["errors"], 1)


if __name__ == "__main__":
    unittest.main()
