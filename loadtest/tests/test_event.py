"""A small live event through fleet, with its report. `loadtest/event --quick` runs all evenings."""

import pathlib
import subprocess
import tempfile
import unittest

from fake import fake
from k6 import ENVIRONMENT, LOADTEST, ROOT, marked
from test_against import PATIENT, SHORT, against, by_invoke, by_url, outputs


class Event(unittest.TestCase):
    @marked("longest")
    def test_unprepared_evenings_fall_and_prepared_evenings_hold(self):
        with tempfile.TemporaryDirectory() as directory:
            command = [LOADTEST / "event", "--quick", "--evenings", "one,two,five,six", "--directory", directory]
            run = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(run.returncode, 0, run.stdout)
            report = pathlib.Path(directory, "report.html").read_text()
        self.assertIn(f"report: {directory}/report.html", run.stdout)
        self.assertIn("Evening one: on Lambda, unprepared: fell as expected", run.stdout)
        self.assertRegex(run.stdout, "Evening two: prepared: held: up to 150 logins a second, .* none failed")
        self.assertIn("Evening five: upgrades that were not planned: fell as expected", run.stdout)
        self.assertIn("Evening six: planned upgrades: held", run.stdout)
        # `assertIn` would print the whole page.
        self.assertTrue("One fell as expected: " in report and "Two held: up to 150 logins a second" in report)
        # The page loads nothing and runs nothing. Its links lead to its own sections.
        for loads in ("<script", "src=", 'href="h', "@import"):
            self.assertFalse(loads in report, loads)

    def test_a_run_against_a_deployment_ends_with_its_page(self):
        report = {"SALTERN_LOAD_REPORT": str(ROOT / "target/debug/saltern-load-report")}
        for name, answer in (("url", by_url), ("invoke", by_invoke)):
            with self.subTest(name), tempfile.TemporaryDirectory() as directory, fake(answer) as it:
                door = {"deployment": outputs(url=it.url)} if name == "url" else {"AWS_ENDPOINT_URL_LAMBDA": it.url}
                run = against("--rate", "15", "--run", directory, **door, **report, **SHORT, **PATIENT)
                self.assertEqual(run.returncode, 0, run.stdout)
                self.assertIn("would cost about 0.00 USD", run.stdout)
                self.assertIn("15 logins a second", pathlib.Path(directory, "report.html").read_text())

    def test_an_unknown_evening_is_rejected(self):
        run = subprocess.run([LOADTEST / "event", "--evenings", "seven"], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run.returncode, 64, run.stdout)
        self.assertIn("seven is not an evening", run.stdout)


if __name__ == "__main__":
    unittest.main()
