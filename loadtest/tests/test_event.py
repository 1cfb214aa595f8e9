"""A small live event through fleet, with its report. Only `make event` runs evening zero."""

import pathlib
import subprocess
import tempfile
import unittest

from k6 import ENVIRONMENT, LOADTEST, ROOT, marked


class Event(unittest.TestCase):
    @marked("longest")
    def test_the_unprepared_evening_falls_and_the_prepared_evenings_hold(self):
        with tempfile.TemporaryDirectory() as directory:
            command = [LOADTEST / "event", "--quick", "--evenings", "one,two,three", "--directory", directory]
            run = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(run.returncode, 0, run.stdout)
            report = pathlib.Path(directory, "report.html").read_text()
        self.assertIn(f"report: {directory}/report.html", run.stdout)
        self.assertIn("Evening one: on Lambda, unprepared: fell as expected", run.stdout)
        for evening in ("two", "three"):
            self.assertRegex(run.stdout, f"Evening {evening}: prepared.*: held: up to 150 logins a second, .* none failed")
        # `assertIn` would print the whole page.
        self.assertTrue("One fell as expected: " in report and "Two held 150 logins a second: none failed" in report)
        # The page loads nothing and runs nothing.
        for loads in ("<script", "src=", "href=", "@import"):
            self.assertFalse(loads in report, loads)

    def test_an_unknown_evening_is_rejected(self):
        run = subprocess.run([LOADTEST / "event", "--evenings", "four"], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run.returncode, 64, run.stdout)
        self.assertIn("four is not an evening", run.stdout)


if __name__ == "__main__":
    unittest.main()
