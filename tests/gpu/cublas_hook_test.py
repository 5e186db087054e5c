"""The parts of cublas_hook.py that need neither a GPU nor PyTorch."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import cublas_hook

HERE = pathlib.Path(__file__).parent
# Notes in a file when it measures, with a pause that a process out of turn would fall into.
PROCESS = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[1])
import cublas_hook
folder, position, rounds = pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
turns = cublas_hook.Turns(folder / "turn", position, longest=float(sys.argv[5]))
def measure():
    with open(folder / "log", "a") as log:
        log.write(f"{position}<")
        log.flush()
        time.sleep(0.01)
        log.write(">")
    return position
for _ in range(rounds):
    assert turns.take(measure) == position
"""


def start(folder, position, rounds, longest=60):
    return subprocess.Popen([sys.executable, "-c", PROCESS, str(HERE), str(folder), str(position), str(rounds),
                             str(longest)], stderr=subprocess.PIPE, text=True)


class TurnsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_each_is_first_in_every_other_round(self):
        processes = [start(self.folder, position, 4) for position in (1, 0)]
        for process in processes:
            self.assertEqual(process.communicate()[1], "")
            self.assertEqual(process.returncode, 0)
        self.assertEqual((self.folder / "log").read_text(), "0<>1<>1<>0<>0<>1<>1<>0<>")

    def test_who_is_not_there_is_not_waited_for_without_end(self):
        process = start(self.folder, 0, 2, longest=0.2)  # it is first, and then the other's turn twice
        self.assertIn("has not taken its turn", process.communicate()[1])
        self.assertEqual(process.returncode, 1)
        self.assertEqual((self.folder / "log").read_text(), "0<>")

    def test_alone(self):
        self.assertEqual([cublas_hook.Turns().take(lambda: 7) for _ in range(3)], [7, 7, 7])


class TimesTest(unittest.TestCase):
    def test_every_case_is_timed_in_every_round(self):
        torch = mock.MagicMock()
        torch.cuda.Event.return_value.elapsed_time.return_value = 0.5
        turns = mock.MagicMock(wraps=cublas_hook.Turns())
        measured = cublas_hook.times(torch, mock.MagicMock(), turns)
        self.assertEqual(len(measured), 16)
        self.assertEqual(turns.take.call_count, 16 * cublas_hook.ROUNDS)
        for name, value in measured.items():
            self.assertRegex(name, r" float(16|32) \((ms|us)\)$")
            if name.endswith("(ms)"):
                self.assertEqual(value, 0.5)
        self.assertGreater(torch.mm.call_count, 2 * cublas_hook.ROUNDS * 3)
        self.assertGreater(torch.bmm.call_count, 2 * cublas_hook.ROUNDS * 3)


class LogTest(unittest.TestCase):
    def test_calls_of_a_trace(self):
        calls = cublas_hook.calls_of("fastgemm: gemm type=f32 m=2 kernel=a us=3.5\n"
                                     "fastgemm: cublas: cublasSgemm_v2 served\n"
                                     "fastgemm: cublas: cublasGemmEx passed on: its types are not ours\n"
                                     "fastgemm: cublas: cublasGemmEx passed on: its types are not ours\n")
        self.assertEqual(calls, {"cublasSgemm_v2 served type=f32 m=2 kernel=a": 1, "cublasGemmEx passed on": 2})

    def test_served(self):
        self.assertEqual(cublas_hook.served("fastgemm: stats entry=cublasGemmEx served=3 passed=4\n"),
                         {"cublasGemmEx": (3, 4)})


if __name__ == "__main__":
    unittest.main()
