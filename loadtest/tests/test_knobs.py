"""An invalid or unknown knob stops a run before the load, with a message."""

import unittest

from k6 import LOADTEST, k6

SCRIPTS = sorted(path.name for path in LOADTEST.glob("*.ts"))

IDENTITY = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "eu-north-1"}


class Knobs(unittest.TestCase):
    def rejected(self, sentence, script="live-event.ts", **knobs):
        run = k6("inspect", script, **knobs)
        self.assertNotEqual(run.returncode, 0, run.stdout)
        self.assertIn(sentence, run.stdout)

    def test_every_script_loads_with_its_defaults(self):
        self.assertGreaterEqual(len(SCRIPTS), 7)
        for script in SCRIPTS:
            with self.subTest(script):
                run = k6("inspect", script)
                self.assertEqual(run.returncode, 0, run.stdout)

    def test_every_script_rejects_an_unknown_knob(self):
        for script in SCRIPTS:
            with self.subTest(script):
                self.rejected("LOAD_PEEK_PER_SECOND is not a knob of this script. Its knobs: LOAD_", script, LOAD_PEEK_PER_SECOND=10)

    def test_a_knob_of_another_script_is_rejected(self):
        self.rejected("LOAD_SOAK_SECONDS is not a knob of this script", LOAD_SOAK_SECONDS=10)

    def test_a_knob_without_its_prefix_is_rejected(self):
        self.rejected("the knob is LOAD_BATCH_OPERATIONS", BATCH_OPERATIONS=4)

    def test_invalid_values_are_rejected(self):
        for sentence, name, value in [
            ("a number from 0.1 to 100000 is expected", "LOAD_INVITATION_PER_SECOND", "many"),
            ("a number from 0.1 to 100000 is expected", "LOAD_INVITATION_PER_SECOND", "-1"),
            ("a number from 1 to 86400 is expected", "LOAD_RISE_SECONDS", ""),
            ("a whole number is expected", "LOAD_BATCH_OPERATIONS", "1.5"),
            ("a number from 1 to 64 is expected", "LOAD_BATCH_OPERATIONS", "65"),
            ("followed by a host only", "LOAD_URL", "http://127.0.0.1:9000/hash"),
            ("http:// or https://", "LOAD_URL", "127.0.0.1:9000"),
            ("one of none, bearer, sigv4 is expected", "LOAD_AUTH", "basic"),
            ("one of bcrypt-4-smoke", "LOAD_NEW_HASH_POLICY", "md5"),
        ]:
            with self.subTest(name=name, value=value):
                self.rejected(sentence, **{name: value})

    def test_parts_of_a_whole_sum_to_100(self):
        for sentence, value in [
            ("the parts sum to 99, not to 100", "login=95,registration=4"),
            ("the parts sum to 101, not to 100", "login=95,registration=5,reset=1"),
            ('"logins" is not one of login, registration, reset', "logins=100"),
            ('"login" appears twice', "login=50,login=50"),
            ('"login" is not login=PERCENT', "login"),
            ('"login=-1" is not login=PERCENT', "login=-1,reset=101"),
        ]:
            with self.subTest(value):
                self.rejected(sentence, LOAD_MIX_PERCENT=value)

    def test_decimal_parts_may_sum_to_100(self):
        run = k6("inspect", "live-event.ts", LOAD_MIX_PERCENT="login=99.7,registration=0.2,reset=0.1")
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_missing_credentials_are_named(self):
        self.rejected("SALTERN_TOKEN is not set", LOAD_AUTH="bearer")
        self.rejected("AWS_ACCESS_KEY_ID is not set", LOAD_AUTH="sigv4", LOAD_COST_CEILING_USD=1000)

    def test_an_account_requires_a_cost_ceiling(self):
        # All scripts that call the service. The others call the example backend.
        for script in sorted(set(SCRIPTS) - {"own-process.ts", "service-down.ts"}):
            with self.subTest(script):
                self.rejected("LOAD_COST_CEILING_USD is not set. This run sends", script, LOAD_AUTH="sigv4", **IDENTITY)
                run = k6("inspect", script, LOAD_AUTH="sigv4", LOAD_COST_CEILING_USD=1000, **IDENTITY)
                self.assertEqual(run.returncode, 0, run.stdout)
        self.rejected("more than LOAD_COST_CEILING_USD=0.5", LOAD_AUTH="sigv4", LOAD_COST_CEILING_USD=0.5, **IDENTITY)

    def test_the_commands_for_your_own_account_load(self):
        # `smoke` under the ceiling of the README, and `live-event` with its own rates.
        for script, ceiling in (("smoke.ts", 1), ("live-event.ts", 20)):
            run = k6("inspect", script, LOAD_AUTH="sigv4", LOAD_COST_CEILING_USD=ceiling, **IDENTITY)
            self.assertEqual(run.returncode, 0, run.stdout)

    def test_the_billed_time_follows_from_the_requests(self):
        # The same times as `saltern-fleet plan`, from durations.json.
        users, bcrypt_12 = "LOAD_USERS_PERCENT", "bcrypt-12-2023=100"
        for ms, script, knobs in [
            (164, "live-event.ts", {}),
            (145, "live-event.ts", {"LOAD_ARCHITECTURE": "x86_64"}),
            (567, "live-event.ts", {"LOAD_MEMORY_MB": 512}),
            (327, "live-event.ts", {users: bcrypt_12}),
            (327, "live-event.ts", {users: "bcrypt-11-2021=99,bcrypt-12-2023=1"}),
            (192, "live-event.ts", {"LOAD_BATCH_OPERATIONS": 4}),
            (2506, "live-event.ts", {"LOAD_BATCH_OPERATIONS": 64}),
            (169, "live-event.ts", {"LOAD_BATCH_OPERATIONS": 4, "LOAD_MEMORY_MB": 3538}),
            (60, "live-event.ts", {users: "pbkdf2-sha512-2016=100", "LOAD_NEW_HASH_POLICY": "pbkdf2-sha512-2016"}),
            (218, "live-event.ts", {users: "argon2id-2026=100", "LOAD_NEW_HASH_POLICY": "argon2id-2026"}),
            # durations.json has no row for bcrypt-4: it is a sixty-fourth of bcrypt-10.
            (1, "live-event.ts", {users: "bcrypt-4-smoke=100", "LOAD_NEW_HASH_POLICY": "bcrypt-4-smoke"}),
            # A verify and then a new hash.
            (328, "rehash-wave.ts", {}),
            (384, "rehash-wave.ts", {"LOAD_BATCH_OPERATIONS": 4}),
            (250, "live-event.ts", {"LOAD_BILLED_MS": 250, users: bcrypt_12}),
        ]:
            with self.subTest(script, **knobs):
                self.rejected(f" requests of {ms} ms ", script, LOAD_AUTH="sigv4", **knobs, **IDENTITY)


if __name__ == "__main__":
    unittest.main()
