"""Each budget breaks if a stub of the service or of the backend makes one specific mistake."""

import concurrent.futures
import json
import threading
import time
import unittest

from fake import fake
from k6 import THRESHOLDS_CROSSED, k6, marked, summary

RIGHT = {"LOAD_MIX_PERCENT": "login=100", "LOAD_LOGIN_PERCENT": "right=100"}
PATIENT = {"LOAD_P90_BUDGET_MS": 300, "LOAD_SLOWEST_MS": 2000, "LOAD_ABORT_ERROR_PERCENT": 100}


def verdict(match, **more):
    return 200, json.dumps({"match": match, **more})


def welcome(path, body):
    """Answers as the example backend, without a hash."""
    if path == "/hello":
        return 200, "hello"
    return (200, "welcome") if "password=secret" in body else (403, "wrong user or password")


class Budgets(unittest.TestCase):
    def broken(self, script, **knobs):
        run, said = summary(script, **knobs)
        self.assertEqual(run.returncode, THRESHOLDS_CROSSED, run.stdout)
        return said["broken"]

    def assert_broken(self, budget, broken):
        self.assertTrue(any(line.startswith(budget) for line in broken), f"{budget} is not among {broken}")

    def kept(self, script, **knobs):
        run, said = summary(script, **knobs)
        self.assertEqual(run.returncode, 0, run.stdout)
        return said

    def test_a_backend_that_ends_breaks_service_down(self):
        knobs = {"LOAD_DOWN_SECONDS": 4, "LOAD_HELLO_P99_BUDGET_MS": 5000}
        with fake(lambda _, path, body: welcome(path, body)) as it:
            self.kept("service-down.ts", LOAD_BACKEND_URL=it.url, **knobs)
        with fake(lambda _, path, body: welcome(path, body)) as it:
            def end():
                # The stub ends in the middle of the run, which starts with the first request.
                asked.wait()
                time.sleep(2)
                it.end()

            asked = threading.Event()
            first = it.answer
            it.answer = lambda *about: (asked.set(), first(*about))[1]
            killer = threading.Thread(target=end)
            killer.start()
            broken = self.broken("service-down.ts", LOAD_BACKEND_URL=it.url, **knobs)
            killer.join()
        for budget in ("hello_right: rate>=0.999", "unreachable: count==0", "operations_lost: "):
            self.assert_broken(budget, broken)
        self.assertFalse(any(line.startswith("hello_ms") for line in broken), broken)

    def test_capacity_fails_if_the_target_finishes_all_requests(self):
        with fake(lambda _, path, body: welcome(path, body)) as it:
            run = k6("run", "capacity.ts", LOAD_DOOR="backend", LOAD_BACKEND_URL=it.url, LOAD_ASKED_PER_SECOND=40, LOAD_ASKED_SECONDS=5)
        self.assertEqual(run.returncode, THRESHOLDS_CROSSED, run.stdout)
        self.assertIn("NOT SATURATED: send more, with LOAD_ASKED_PER_SECOND=80", run.stdout)

    def test_capacity_measures_a_target_that_finishes_half_of_the_requests(self):
        turn = iter(range(10**9))

        def answer(_, path, body):
            if path == "/login" and next(turn) % 2 == 0:
                return 503, ""
            return welcome(path, body)

        with fake(answer) as it:
            run = k6("run", "capacity.ts", LOAD_DOOR="backend", LOAD_BACKEND_URL=it.url, LOAD_ASKED_PER_SECOND=40, LOAD_ASKED_SECONDS=5)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertNotIn("NOT SATURATED", run.stdout)
        # Twenty, and fewer if the machine paused at the end.
        finished = float(run.stdout.split("finished ")[1].split()[0])
        self.assertTrue(12 < finished <= 20.5, run.stdout)

    def test_capacity_fails_on_a_wrong_answer(self):
        with fake(lambda _, path, body: (200, "welcome") if path == "/login" else welcome(path, body)) as it:
            broken = self.broken("capacity.ts", LOAD_DOOR="backend", LOAD_BACKEND_URL=it.url, LOAD_ASKED_PER_SECOND=40, LOAD_ASKED_SECONDS=5)
        self.assert_broken("wrong_answers: count==0", broken)

    def test_an_evening_that_stays_slow_breaks_the_budget_of_the_last_phase(self):
        def answer(at, path, body):
            # Slow after the crowd, which leaves after nine seconds.
            if at > 9.5:
                time.sleep(0.6)
            return verdict(True)

        evening = {"LOAD_BASELINE_PER_SECOND": 2, "LOAD_INVITATION_PER_SECOND": 20, "LOAD_SECOND_WAVE_PER_SECOND": 20}
        evening |= {"LOAD_BASELINE_SECONDS": 3, "LOAD_RISE_SECONDS": 1, "LOAD_INVITATION_SECONDS": 2, "LOAD_SECOND_WAVE_SECONDS": 2}
        with fake(answer) as it:
            broken = self.broken("live-event.ts", LOAD_URL=it.url, **evening, **RIGHT, **PATIENT)
        self.assert_broken("operation_ms{scenario:afterwards,kind:right}: p(90)<300", broken)
        self.assertEqual(len(broken), 1, "the percentile of the whole evening does not show the slow phase")

    def test_a_soak_with_a_slow_tenth_breaks_the_budget_of_that_tenth(self):
        def answer(at, path, body):
            if 5.1 < at < 5.9:
                time.sleep(0.5)
            return verdict(True)

        with fake(answer) as it:
            broken = self.broken("soak.ts", LOAD_URL=it.url, LOAD_SOAK_PER_SECOND=20, LOAD_SOAK_SECONDS=10, **RIGHT, **PATIENT)
        self.assertEqual([line.split(": ")[0] for line in broken], ["operation_ms{scenario:tenth_6,kind:right}"])

    @marked("longest")
    def test_the_last_answers_count_even_if_they_never_come(self):
        def answer(at, path, body):
            if at > 9:
                time.sleep(15)
            return verdict(True)

        with fake(answer) as it:
            knobs = {"LOAD_SOAK_PER_SECOND": 4, "LOAD_SOAK_SECONDS": 10, "LOAD_DEADLINE_MS": 11000, **RIGHT, **PATIENT}
            broken = self.broken("soak.ts", LOAD_URL=it.url, **knobs)
        self.assert_broken("operations_failed{scenario:tenth_10}: ", broken)

    def test_a_service_without_upgrades_breaks_a_rehash_wave(self):
        for name, said, budget in (
            ("left out", verdict(True, needs_rehash=True), "upgraded: rate>=0.99"),
            ("no user due", verdict(True), "upgrades: count>0"),
        ):
            with self.subTest(name), fake(lambda *_: said) as it:
                broken = self.broken("rehash-wave.ts", LOAD_URL=it.url, LOAD_WAVE_PER_SECOND=10, LOAD_WAVE_SECONDS=2, **RIGHT, **PATIENT)
                self.assert_broken(budget, broken)

    def test_a_share_of_the_logins_of_a_live_event_requests_an_upgrade(self):
        def upgrading(_, path, body):
            return verdict(True, needs_rehash=True, rehashed={"hash": "$argon2id$"}) if "rehash" in json.loads(body) else verdict(True)

        short = {f"LOAD_{piece}_SECONDS": 1 for piece in ("BASELINE", "RISE", "INVITATION", "SECOND_WAVE")}
        rates = {f"LOAD_{piece}_PER_SECOND": 20 for piece in ("BASELINE", "INVITATION", "SECOND_WAVE")}
        knobs = {"LOAD_UPGRADES_PERCENT": 50, **short, **rates, **RIGHT, **PATIENT}
        with fake(upgrading) as it:
            metrics = self.kept("live-event.ts", LOAD_URL=it.url, **knobs)["metrics"]
        # The draws are those of the iterations, so no chance is in the share.
        self.assertAlmostEqual(metrics["upgrades"]["values"]["count"] / metrics["http_reqs"]["values"]["count"], 0.5, delta=0.1)
        with fake(lambda *_: verdict(True)) as it:
            self.assert_broken("upgrades: count>0", self.broken("live-event.ts", LOAD_URL=it.url, **knobs))

    def test_guesses_without_a_verdict_break_hostile(self):
        # Answers outside the contract: a rejection by the platform, and a 200 without JSON.
        for name, said, budget in [
            ("refused", (401, "{}"), "guesses_judged: rate>="),
            ("throttled", (429, "{}"), "guesses_judged: rate>="),
            ("no JSON", (200, "<html>"), "guesses_accepted: count==0"),
            ("accepted", verdict(True), "guesses_accepted: count==0"),
        ]:
            with self.subTest(name), fake(lambda *_: said) as it:
                knobs = {"LOAD_URL": it.url, "LOAD_HOSTILE_SECONDS": 2, "LOAD_REFUSABLE_PER_SECOND": 1}
                self.assert_broken(budget, self.broken("hostile.ts", **knobs))

    def test_a_run_without_permission_ends_early(self):
        # All scripts that call the service of an account. Side by side, because k6 waits ten
        # seconds before it ends a run.
        long = {
            "smoke.ts": {"LOAD_SMOKE_SECONDS": 60},
            "hostile.ts": {"LOAD_HOSTILE_SECONDS": 60},
            "capacity.ts": {"LOAD_ASKED_SECONDS": 60, "LOAD_ASKED_PER_SECOND": 10},
            "sustained.ts": {"LOAD_SUSTAINED_SECONDS": 60, "LOAD_SUSTAINED_PER_SECOND": 10},
        }

        def ended(script):
            with fake(lambda *_: (403, "{}")) as it:
                began = time.monotonic()
                run = k6("run", script, LOAD_URL=it.url, **long[script])
                return run, time.monotonic() - began

        with concurrent.futures.ThreadPoolExecutor(len(long)) as pool:
            for script, (run, seconds) in zip(long, pool.map(ended, long)):
                with self.subTest(script):
                    self.assertEqual(run.returncode, THRESHOLDS_CROSSED, run.stdout)
                    self.assertLess(seconds, 40)


if __name__ == "__main__":
    unittest.main()
