"""Runs the scripts with k6, and starts a server for them."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import threading

LOADTEST = pathlib.Path(__file__).resolve().parent.parent
ROOT = LOADTEST.parent

# The tests ignore the knobs of the shell. Only the version of k6 is kept.
FOREIGN = ("LOAD_", "K6_", "AWS_", "SALTERN_")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name == "K6_MAJOR" or not name.startswith(FOREIGN)}

# The exit code of k6 if a budget was broken.
THRESHOLDS_CROSSED = 99
# The exit code of k6 if the script rejected its knobs or its target before the load.
SCRIPT_EXCEPTION = 107


def marked(mark):
    """Marks a test for counted.py: `alone` runs it without other tests, for tests that need the
    whole processor. `longest` starts it first."""

    def mark_test(test):
        setattr(test, mark, True)
        return test

    return mark_test


def k6(command, script, **environment):
    """Returns the exit code and the output of `k6 run` or `k6 inspect`."""
    # By default only `run` gives the environment to a script.
    options = {"run": ["--quiet", "--log-format", "raw"], "inspect": ["--include-system-env-vars", "--log-format", "raw"]}
    arguments = [LOADTEST / "k6", command, *options[command], LOADTEST / script]
    environment = {name: str(value) for name, value in environment.items()}
    return subprocess.run(arguments, env={**ENVIRONMENT, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def summary(script, **knobs):
    """Runs a script. Returns its exit code and output, and its summary file."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        run = k6("run", script, LOAD_SUMMARY_FILE=file.name, **knobs)
        text = pathlib.Path(file.name).read_text()
    return run, json.loads(text) if text else None


@contextlib.contextmanager
def server(*arguments):
    """Starts `saltern serve` with the policies of the load test. Yields its address."""
    command = [ROOT / "target/debug/saltern", "serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--policies", LOADTEST / "policies.json"]
    process = subprocess.Popen([*command, *arguments], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stdout:
            entry = json.loads(line)
            if entry.get("message") == "serving":
                break
        else:
            raise RuntimeError("the server did not start")
        # A full pipe would block the server.
        threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
        yield f"http://{entry['address']}"
    finally:
        process.terminate()
        process.wait()
