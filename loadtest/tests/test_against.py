"""`against` plans by the size of a deployment. A stub is the function, by its URL and by direct calls."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from fake import POLICIES, fake
from k6 import ENVIRONMENT, LOADTEST, summary

# Staging: 50 environments, and 327 ms under bcrypt-12.
CAPACITY = {"architecture": "arm64", "batch": 1, "memory_size_mb": 1769, "milliseconds_per_request": 327, "milliseconds_per_upgrade": 218, "policy": "bcrypt-12", "reserved_concurrency": 50}
IDENTITY = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
SHORT = {"LOAD_BASELINE_SECONDS": "1", "LOAD_RISE_SECONDS": "1", "LOAD_INVITATION_SECONDS": "1", "LOAD_SECOND_WAVE_SECONDS": "1"}
# The stub computes nothing, and other tests run beside it.
PATIENT = {"LOAD_P90_BUDGET_MS": "5000", "LOAD_SLOWEST_MS": "5000"}


def outputs(url=None, name="saltern-staging", **capacity):
    """What `terraform output -json` prints, of which `against` reads a part."""
    values = {
        "alias_arn": "arn:aws:lambda:eu-north-1:123456789012:function:saltern-staging:live",
        "capacity": {**CAPACITY, **capacity},
        "function_name": name,
        "url": url,
    }
    return json.dumps({name: {"sensitive": False, "type": "string", "value": value} for name, value in values.items()})


def against(*arguments, deployment=None, **environment):
    command = [LOADTEST / "against", "-", *arguments]
    environment = {**ENVIRONMENT, **IDENTITY, **environment}
    return subprocess.run(command, input=deployment or outputs(), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def answered(path, request):
    """The right answer to an operation of the load test, without a hash."""
    if path == "/policies":
        return 200, json.dumps(POLICIES)
    if path == "/hash":
        return 200, json.dumps({"hash": "$argon2id$", "policy": request["policy"]})
    return 200, json.dumps({"match": request["hash"] is not None and not request["password"].endswith("!")})


def by_url(_, path, body):
    return answered(path, json.loads(body))


def by_invoke(_, path, body):
    """Lambda's Invoke of the live version: the status is that of Lambda, and the function's is inside."""
    if path != "/2015-03-31/functions/saltern-staging/invocations?Qualifier=live":
        return 404, "{}"
    event = json.loads(body)
    request = json.loads(event["body"]) if event["requestContext"]["http"]["method"] == "POST" else None
    status, text = answered(event["rawPath"], request)
    return 200, json.dumps({"statusCode": status, "headers": {}, "body": text, "isBase64Encoded": False})


class Against(unittest.TestCase):
    def inspected(self, knobs, *arguments, **given):
        """Runs `against` with a k6 that prints these knobs."""
        with tempfile.TemporaryDirectory() as directory:
            k6 = pathlib.Path(directory, "k6")
            values = " ".join(f"${knob}" for knob in knobs.split())
            k6.write_text(f'#!/bin/sh\necho "This run sends {values} and would cost about 0.27 USD"\n')
            k6.chmod(0o755)
            return against(*arguments, K6=str(k6), **given)

    def test_the_rates_and_the_cost_follow_from_the_size(self):
        run = against()
        self.assertEqual(run.returncode, 0, run.stdout)
        # 50 ÷ 0.327 s × 0.7. The phases send 34,775 requests of 0.327 s × 1.7275 GB.
        self.assertIn("saltern-staging: up to 107 logins a second, 1 in a request of 327 ms, on at most 50 environments.", run.stdout)
        self.assertIn("would cost about 0.27 USD", run.stdout)
        self.assertIn("Nothing was sent", run.stdout)

    def test_batches_carry_more(self):
        run = against(deployment=outputs(batch=4, milliseconds_per_request=383))
        self.assertIn("up to 365 logins a second, 4 in a request of 383 ms", run.stdout)

    def test_upgrades_take_their_time_too(self):
        # 50 ÷ (0.327 s + 0.5 × 0.218 s) × 0.7.
        run = against("--upgrades", "50")
        self.assertIn("up to 80 logins a second, 1 in a request of 436 ms", run.stdout)

    def test_what_would_surely_fail_is_refused_unless_forced(self):
        run = against("--rate", "1500")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("would surely fail: 50 environments carry at most 153 logins a second, and 1500 are asked for", run.stdout)
        run = against(LOAD_INVITATION_PER_SECOND="1500")
        self.assertIn("would surely fail: 50 environments carry at most 153 logins a second, and 1500 are asked for", run.stdout)
        run = against(LOAD_P90_BUDGET_MS="300")
        self.assertIn("would surely fail: a request takes 327 ms, and LOAD_P90_BUDGET_MS is 300", run.stdout)
        run = against("--rate", "1500", "--force")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("up to 1500 logins a second", run.stdout)

    def test_a_function_without_reserved_environments_is_refused(self):
        for reserved in (0, None):
            run = against(deployment=outputs(reserved_concurrency=reserved))
            self.assertEqual(run.returncode, 1, run.stdout)
            self.assertIn("has no reserved environments", run.stdout)

    def test_users_and_signatures_are_those_of_the_function(self):
        run = self.inspected("LOAD_USERS_PERCENT AWS_REGION", AWS_REGION="us-east-1", deployment=outputs(policy="argon2id-65536-4-1"))
        self.assertIn("This run sends argon2id-2026=100 eu-north-1 and", run.stdout)
        run = against(deployment=outputs(policy="bcrypt-11"))
        self.assertIn("no users have hashes of capacity_policy bcrypt-11: set LOAD_USERS_PERCENT", run.stdout)

    def test_moved_users_need_others_for_their_upgrades(self):
        run = self.inspected("LOAD_USERS_PERCENT LOAD_UPGRADES_PERCENT", "--upgrades", "10", deployment=outputs(policy="argon2id-65536-4-1"))
        self.assertIn("This run sends bcrypt-12-2023=10,argon2id-2026=90 100 and", run.stdout)
        run = self.inspected("LOAD_UPGRADES_PERCENT", LOAD_UPGRADES_PERCENT="10", deployment=outputs(policy="argon2id-65536-4-1"))
        self.assertIn("This run sends 100 and", run.stdout)
        run = self.inspected("LOAD_UPGRADES_PERCENT", "--upgrades", "50", LOAD_UPGRADES_PERCENT="0")
        self.assertIn("This run sends 50.0 and", run.stdout)
        run = against("--upgrades", "100", deployment=outputs(policy="argon2id-65536-4-1"))
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_target_of_the_shell_is_not_that_of_the_deployment(self):
        shell = {"LOAD_URL": "https://production.example", "LOAD_FUNCTION": "saltern-production"}
        run = self.inspected("LOAD_URL LOAD_FUNCTION", **shell)
        self.assertIn("This run sends https://lambda.eu-north-1.amazonaws.com saltern-staging and", run.stdout)
        run = self.inspected("LOAD_URL LOAD_FUNCTION", deployment=outputs(url="https://staging.example"), **shell)
        self.assertIn("This run sends https://staging.example  and", run.stdout)
        run = against(LOAD_BATCH_OPERATIONS="4")
        self.assertIn("the function takes 1 in a request: unset LOAD_BATCH_OPERATIONS", run.stdout)

    def test_production_is_not_loaded_by_mistake(self):
        with tempfile.TemporaryDirectory() as directory:
            run = against("--run", directory + "/run", deployment=outputs(name="saltern-production"))
            self.assertEqual(run.returncode, 1, run.stdout)
            self.assertIn("this is production", run.stdout)
            self.assertEqual(list(pathlib.Path(directory).iterdir()), [])

    def test_an_invalid_knob_is_named(self):
        run = against(LOAD_P90_BUDGET_MS="soon")
        self.assertIn("LOAD_P90_BUDGET_MS=soon: a number from 1 to 120000 is expected", run.stdout)
        self.assertNotIn("Traceback", run.stdout)

    def test_a_direct_call_is_judged_by_the_answer_of_the_function(self):
        knobs = {"LOAD_FUNCTION": "saltern-staging", "LOAD_AUTH": "sigv4", "AWS_REGION": "eu-north-1", "LOAD_COST_CEILING_USD": 1}
        knobs |= {**IDENTITY, **SHORT, **PATIENT, "LOAD_BASELINE_PER_SECOND": 5, "LOAD_INVITATION_PER_SECOND": 5, "LOAD_SECOND_WAVE_PER_SECOND": 5}
        with fake(by_invoke) as it:
            run, said = summary("live-event.ts", LOAD_URL=it.url, **knobs)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertGreater(said["metrics"]["operation_ms{kind:right}"]["values"]["count"], 20)
        # A function that crashes answers with 200 too, and with its error. A proxy answers with anything.
        for answer in ('{"errorMessage": "RequestId"}', "null", "<html>"):
            def crashing(_, path, body):
                return by_invoke(_, path, body) if "/policies" in body else (200, answer)

            with self.subTest(answer), fake(crashing) as it:
                run, said = summary("live-event.ts", LOAD_URL=it.url, LOAD_ABORT_ERROR_PERCENT=100, **knobs)
                self.assertEqual(said["metrics"]["faults"]["values"]["count"], said["metrics"]["http_reqs"]["values"]["count"] - 1)


if __name__ == "__main__":
    unittest.main()
