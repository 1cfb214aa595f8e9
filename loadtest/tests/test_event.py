"""A small live event through fleet, with its report. The backend of evening zero is `make event`'s."""

import pathlib
import subprocess
import tempfile
import unittest

from k6 import ENVIRONMENT, LOADTEST, ROOT


class Event(unittest.TestCase):
    def test_unprepared_falls_and_prepared_holds(self):
        with tempfile.TemporaryDirectory() as directory:
            command = [LOADTEST / "event", "--quick", "--evenings", "one,two,three", "--directory", directory]
            run = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(run.returncode, 0, run.stdout)
            report = pathlib.Path(directory, "report.html").read_text()
        self.assertIn(f"report: {directory}/report.html", run.stdout)
        self.assertIn("Evening one: on Lambda, unprepared: fell, as it was to", run.stdout)
        for evening in ("two", "three"):
            self.assertRegex(run.stdout, f"Evening {evening}: prepared.*: held: up to 150 logins a second, .* none failed")
        # Not `assertIn`: it would print the page.
        self.assertTrue("One fell, as it was to: " in report and "Two held 150 logins a second: none failed" in report)
        # Nothing is fetched and nothing runs.
        for loads in ("<script", "src=", "href=", "@import"):
            self.assertFalse(loads in report, loads)

    def test_an_evening_that_does_not_exist_is_refused(self):
        run = subprocess.run([LOADTEST / "event", "--evenings", "four"], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run.returncode, 64, run.stdout)
        self.assertIn("there is no evening called four", run.stdout)


if __name__ == "__main__":
    unittest.main()
