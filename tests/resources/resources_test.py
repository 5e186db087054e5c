"""Host tests of the resource gate and the machine code check."""
import pathlib
import tempfile
import unittest

import cuobjdump
import resources
import sass_check

RES_USAGE = """
Fatbin ptx code:
================
arch = sm_90
compressed

Fatbin elf code:
================
arch = sm_80
host = linux

Resource usage:
 Common:
  GLOBAL:0
 Function _Z1av:
  REG:124 STACK:0 SHARED:1024 LOCAL:0 CONSTANT[0]:776 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _Z1bv:
  REG:255 STACK:48 SHARED:0 LOCAL:0 CONSTANT[0]:776 TEXTURE:0 SURFACE:0 SAMPLER:0
"""
SASS = """
arch = sm_80
		Function : _Z1av
        /*0000*/                   MOV R1, c[0x0][0x28] ;      /* 0x00 */
        /*0010*/              @!P0 LDGSTS.E.BYPASS.128 [R1], [R2] ;   /* 0x00 */
        /*0020*/                   HMMA.16816.F32 R4, R8, R2, R4 ; /* 0x00 */
		Function : _Z1bv
        /*10000*/                  FFMA R1, R2, R3, R4 ;
        /*10010*/              @P1 STL [R1], R2 ;
"""


class Parsing(unittest.TestCase):
    def test_resources(self):
        found = cuobjdump.parse_resources(RES_USAGE)
        self.assertEqual([(a, n) for a, n, _ in found], [("sm_80", "_Z1av"), ("sm_80", "_Z1bv")])
        self.assertEqual(found[0][2]["REG"], 124)
        self.assertEqual(found[1][2]["STACK"], 48)

    def test_sass(self):
        found = cuobjdump.parse_sass(SASS)
        self.assertEqual(found[0][2], {"MOV", "LDGSTS.E.BYPASS.128", "HMMA.16816.F32"})
        self.assertEqual(found[1][2], {"FFMA", "STL"})

    def test_names(self):
        self.assertEqual(cuobjdump.shorten("void fastgemm::f::kernel<fastgemm::(anonymous namespace)::Tile, "
                                           "(fastgemm::Op)1, 16>(fastgemm::GemmParams)"), "f::kernel<Tile, (Op)1, 16>")


class Gate(unittest.TestCase):
    def setUp(self):
        found = cuobjdump.parse_resources(RES_USAGE)
        self.rows = resources.rows_of(found, {"_Z1av": "a", "_Z1bv": "b"})

    def test_stack_fails_unless_excepted(self):
        self.assertEqual(len(resources.gate(self.rows, [])), 1)
        read = resources.read_exceptions
        self.assertEqual(resources.gate(self.rows, read("sm_80 | b | 48 | measured faster")), [])
        for other in ("sm_80 | b | 32 | too small", "sm_90* | b | 48 | other GPU", "sm_80 | a* | 48 | other kernel"):
            self.assertEqual(len(resources.gate(self.rows, read(other))), 1, other)

    def test_exception_needs_a_reason(self):
        with self.assertRaises(ValueError):
            resources.read_exceptions("sm_80 | b | 48 |")

    def test_table_survives_writing_and_shows_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "table.csv"
            resources.write_table(path, "13.0", self.rows)
            compiler, read = resources.read_table(path)
        self.assertEqual(compiler, "13.0")
        self.assertEqual(read, self.rows)
        read[0]["registers"] += 1
        read[1]["kernel"] = "c"
        other = {**read[0], "architecture": "sm_75"}
        self.assertEqual(len(resources.changes(self.rows, read + [other])), 3)

    def test_equal_names_stay_apart(self):
        found = cuobjdump.parse_resources(RES_USAGE)
        rows = resources.rows_of(found, {"_Z1av": "a", "_Z1bv": "a"})
        self.assertEqual([row["kernel"] for row in rows], ["a", "a #2"])


class Sass(unittest.TestCase):
    def judge(self, line):
        rule = sass_check.read_rules(line)[0]
        return sass_check.judge(rule, cuobjdump.parse_sass(SASS), {"_Z1av": "a", "_Z1bv": "b"})

    def test_rules(self):
        self.assertEqual(self.judge("* | a | sm_80 | HMMA LDGSTS | FFMA STL"), (1, []))
        self.assertEqual(len(self.judge("* | a | sm_80 | FFMA | HMMA")[1]), 2)
        self.assertEqual(len(self.judge("* | * | sm_80 | FFMA | STL")[1]), 2)
        self.assertEqual(self.judge("* | a | sm_90* | HMMA | ")[0], 0)


if __name__ == "__main__":
    unittest.main()
