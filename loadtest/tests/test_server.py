"""Short runs of the scripts against a local `saltern serve`."""

import tempfile
import unittest

from k6 import SCRIPT_EXCEPTION, THRESHOLDS_CROSSED, k6, marked, server, summary

# Other programs run beside the tests. The tests check the answers and the budgets and not the
# speed, so this time is long.
PATIENT = {"LOAD_P90_BUDGET_MS": 5000, "LOAD_DEADLINE_MS": 10000, "LOAD_SLOWEST_MS": 10000}
# The cheapest hashes, so that the test measures only the rate.
LIGHT = {"LOAD_USERS_PERCENT": "bcrypt-4-smoke=100", "LOAD_NEW_HASH_POLICY": "bcrypt-4-smoke", "LOAD_LOGIN_PERCENT": "right=95,wrong=5"}
SHORT = {"LOAD_BASELINE_SECONDS": 2, "LOAD_RISE_SECONDS": 1, "LOAD_INVITATION_SECONDS": 3, "LOAD_SECOND_WAVE_SECONDS": 3}
SMALL = {**SHORT, "LOAD_BASELINE_PER_SECOND": 10, "LOAD_INVITATION_PER_SECOND": 75, "LOAD_SECOND_WAVE_PER_SECOND": 150}


TOKEN = "0123456789abcdef0123456789abcdef"


class Server(unittest.TestCase):
    def kept(self, script, **knobs):
        run, said = summary(script, **knobs)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertEqual(said["broken"], [])
        return said["metrics"]

    @marked("alone")
    def test_smoke(self):
        with server() as url:
            metrics = self.kept("smoke.ts", LOAD_URL=url, **PATIENT)
        self.assertGreater(metrics["operation_ms{kind:right}"]["values"]["count"], 80)
        self.assertEqual(metrics["upgraded"]["values"]["rate"], 1)

    def test_a_small_live_event(self):
        with server() as url:
            metrics = self.kept("live-event.ts", LOAD_URL=url, **PATIENT, **LIGHT, **SMALL)
        # The pieces send 20, 42.5, 225, 112.5, 450, 80 and 20 logins.
        self.assertAlmostEqual(metrics["operation_ms{kind:right}"]["values"]["count"], 950, delta=10)

    def test_a_live_event_in_batches_sends_the_same_number_of_logins(self):
        with server() as url:
            metrics = self.kept("live-event.ts", LOAD_URL=url, LOAD_BATCH_OPERATIONS=4, **PATIENT, **LIGHT, **SMALL)
        self.assertAlmostEqual(metrics["operation_ms{kind:right}"]["values"]["count"], 950, delta=40)
        self.assertAlmostEqual(metrics["http_reqs"]["values"]["count"], 950 / 4, delta=10)

    @marked("alone")
    def test_a_rehash_wave_upgrades_all_users(self):
        with server() as url:
            wave = {"LOAD_USERS_PERCENT": "bcrypt-4-smoke=100", "LOAD_WAVE_PER_SECOND": 3, "LOAD_WAVE_SECONDS": 4}
            metrics = self.kept("rehash-wave.ts", LOAD_URL=url, **PATIENT, **wave)
        self.assertGreater(metrics["upgraded"]["values"]["passes"], 0)

    @marked("alone")
    def test_honest_logins_get_their_share_under_attack(self):
        # With one worker k6 has the other core.
        with server("--workers", "1") as url:
            common = {"LOAD_URL": url, "LOAD_USERS_PERCENT": "bcrypt-10-2019=100", "LOAD_SLOWEST_MS": 4000}
            run = k6("run", "capacity.ts", LOAD_ASKED_PER_SECOND=200, LOAD_ASKED_SECONDS=5, LOAD_MIX_PERCENT="login=100", LOAD_LOGIN_PERCENT="right=100", **common)
            capacity = float(run.stdout.split("finished ")[1].split()[0])
            # Other programs may take half of the capacity that was measured.
            crowds = {"LOAD_HONEST_PER_SECOND": 0.5 * capacity, "LOAD_GUESSES_PER_SECOND": capacity, "LOAD_CAPACITY_PER_SECOND": 0.5 * capacity}
            metrics = self.kept("hostile.ts", LOAD_HOSTILE_SECONDS=20, **crowds, **common)
        # Both crowds had the same capacity. Of some 600 honest logins, chance takes 4 % or less.
        honest, guesses = (metrics[name]["values"]["rate"] for name in ("honest_answered", "guesses_judged"))
        self.assertGreater(honest, 0.85 * guesses)
        self.assertEqual(metrics["hostile_refused"]["values"]["fails"], 0)
        self.assertGreater(metrics["hostile_refused"]["values"]["passes"], 1800)

    @marked("alone")
    def test_a_token_is_required_and_accepted(self):
        knobs = {"LOAD_SMOKE_SECONDS": 2, **PATIENT}
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(f"load hash,verify never {TOKEN}")
            file.flush()
            with server("--tokens-file", file.name) as url:
                run = k6("run", "smoke.ts", LOAD_URL=url, **knobs)
                self.assertEqual(run.returncode, SCRIPT_EXCEPTION, run.stdout)
                self.assertIn("is the caller allowed to call it?", run.stdout)
                run = k6("run", "smoke.ts", LOAD_URL=url, LOAD_AUTH="bearer", SALTERN_TOKEN=TOKEN, **knobs)
                self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_broken_budget_fails_the_run(self):
        with server() as url:
            run = k6("run", "smoke.ts", LOAD_URL=url, LOAD_P90_BUDGET_MS=1, LOAD_SMOKE_SECONDS=2)
        self.assertEqual(run.returncode, THRESHOLDS_CROSSED, run.stdout)
        # On a busy machine other budgets break too, and the list begins with them.
        self.assertRegex(run.stdout, r"BROKEN: .*operation_ms\{kind:right\}: p\(90\)<1 ")

    def test_an_absent_service_fails_the_run_with_a_message(self):
        run = k6("run", "smoke.ts", LOAD_URL="http://127.0.0.1:1")
        self.assertEqual(run.returncode, SCRIPT_EXCEPTION, run.stdout)
        self.assertIn("is the service running", run.stdout)
        self.assertIn("NO REQUEST WAS SENT", run.stdout)


if __name__ == "__main__":
    unittest.main()
