"""The scripts against a `saltern serve` of this machine, small."""

import tempfile
import unittest

from k6 import SCRIPT_EXCEPTION, THRESHOLDS_CROSSED, k6, server, summary

# Other programs run beside the tests. What is tested is the truth of the answers and the working of the budgets, so only a
# machine that stands still breaks this one.
PATIENT = {"LOAD_P90_BUDGET_MS": 5000, "LOAD_DEADLINE_MS": 10000, "LOAD_SLOWEST_MS": 10000}
# The least work that there is, so that the rate is what is tested.
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

    def test_smoke(self):
        with server() as url:
            metrics = self.kept("smoke.ts", LOAD_URL=url, **PATIENT)
        self.assertGreater(metrics["operation_ms{kind:right}"]["values"]["count"], 80)
        self.assertEqual(metrics["upgraded"]["values"]["rate"], 1)

    def test_a_small_live_event(self):
        with server() as url:
            metrics = self.kept("live-event.ts", LOAD_URL=url, **PATIENT, **LIGHT, **SMALL)
        # The pieces: 20, 42.5, 225, 112.5, 450, 80 and 20.
        self.assertAlmostEqual(metrics["operation_ms{kind:right}"]["values"]["count"], 950, delta=10)

    def test_a_live_event_in_batches_asks_as_many(self):
        with server() as url:
            metrics = self.kept("live-event.ts", LOAD_URL=url, LOAD_BATCH_OPERATIONS=4, **PATIENT, **LIGHT, **SMALL)
        self.assertAlmostEqual(metrics["operation_ms{kind:right}"]["values"]["count"], 950, delta=40)
        self.assertAlmostEqual(metrics["http_reqs"]["values"]["count"], 950 / 4, delta=10)

    def test_a_rehash_wave_upgrades_everybody(self):
        with server() as url:
            wave = {"LOAD_USERS_PERCENT": "bcrypt-4-smoke=100", "LOAD_WAVE_PER_SECOND": 3, "LOAD_WAVE_SECONDS": 4}
            metrics = self.kept("rehash-wave.ts", LOAD_URL=url, **PATIENT, **wave)
        self.assertGreater(metrics["upgraded"]["values"]["passes"], 0)

    def test_honest_logins_get_their_share_under_attack(self):
        # One worker: the other processors are k6's.
        with server("--workers", "1") as url:
            common = {"LOAD_URL": url, "LOAD_USERS_PERCENT": "bcrypt-10-2019=100", "LOAD_SLOWEST_MS": 4000}
            run = k6("run", "capacity.ts", LOAD_ASKED_PER_SECOND=200, LOAD_ASKED_SECONDS=5, LOAD_MIX_PERCENT="login=100", LOAD_LOGIN_PERCENT="right=100", **common)
            capacity = float(run.stdout.split("finished ")[1].split()[0])
            crowds = {"LOAD_HONEST_PER_SECOND": 0.5 * capacity, "LOAD_GUESSES_PER_SECOND": capacity, "LOAD_CAPACITY_PER_SECOND": capacity}
            metrics = self.kept("hostile.ts", LOAD_HOSTILE_SECONDS=10, **crowds, **common)
        self.assertEqual(metrics["hostile_refused"]["values"]["fails"], 0)
        self.assertGreater(metrics["hostile_refused"]["values"]["passes"], 900)

    def test_a_token_opens_the_door_and_its_absence_does_not(self):
        tokens = {"LOAD_SMOKE_SECONDS": 2, **PATIENT}
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(TOKEN)
            file.flush()
            self.with_tokens(file.name, tokens)

    def with_tokens(self, file, tokens):
        with server("--tokens-file", file) as url:
            run = k6("run", "smoke.ts", LOAD_URL=url, **tokens)
            self.assertEqual(run.returncode, SCRIPT_EXCEPTION, run.stdout)
            self.assertIn("may this caller ask it?", run.stdout)
            run = k6("run", "smoke.ts", LOAD_URL=url, LOAD_AUTH="bearer", SALTERN_TOKEN=TOKEN, **tokens)
            self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_broken_budget_fails_the_run(self):
        with server() as url:
            run = k6("run", "smoke.ts", LOAD_URL=url, LOAD_P90_BUDGET_MS=1, LOAD_SMOKE_SECONDS=2)
        self.assertEqual(run.returncode, THRESHOLDS_CROSSED, run.stdout)
        self.assertIn("BROKEN: operation_ms{kind:right}: p(90)<1", run.stdout)

    def test_nobody_there_fails_the_run_with_a_sentence(self):
        run = k6("run", "smoke.ts", LOAD_URL="http://127.0.0.1:1")
        self.assertEqual(run.returncode, SCRIPT_EXCEPTION, run.stdout)
        self.assertIn("is the service there", run.stdout)
        self.assertIn("NOTHING WAS ASKED", run.stdout)


if __name__ == "__main__":
    unittest.main()
