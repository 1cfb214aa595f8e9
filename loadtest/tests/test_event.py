"""A small live event through fleet, with its report. `loadtest/event --quick` runs all evenings."""

import pathlib
import subprocess
import tempfile
import unittest

from k6 import ENVIRONMENT, LOADTEST, ROOT, marked


class Event(unittest.TestCase):
    @marked("longest")
    def test_the_unprepared_evening_falls_and_the_prepared_evening_holds(self):
        with tempfile.TemporaryDirectory() as directory:
            command = [LOADTEST / "event", "--quick", "--evenings", "one,two", "--directory", directory]
            run = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(run.returncode, 0, run.stdout)
            report = pathlib.Path(directory, "report.html").read_text()
        self.assertIn(f"report: {directory}/report.html", run.stdout)
        self.assertIn("Evening one: on Lambda, unprepared: fell as expected", run.stdout)
        self.assertRegex(run.stdout, "Evening two: prepared: held: up to 150 logins a second, .* none failed")
        # `assertIn` would print the whole page.
        self.assertTrue("One fell as expected: " in report and "Two held: up to 150 logins a second" in report)
        # The page loads nothing and runs nothing. Its links lead to its own sections.
        for loads in ("<script", "src=", 'href="h', "@import"):
            self.assertFalse(loads in report, loads)

    def test_an_unknown_evening_is_rejected(self):
        run = subprocess.run([LOADTEST / "event", "--evenings", "five"], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run.returncode, 64, run.stdout)
        self.assertIn("five is not an evening", run.stdout)


if __name__ == "__main__":
    unittest.main()
