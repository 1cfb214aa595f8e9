"""Runs the scripts with k6, and a server for them."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import threading

LOADTEST = pathlib.Path(__file__).resolve().parent.parent
ROOT = LOADTEST.parent

# Knobs of whoever runs the tests are none of the tests' business; which k6 it is, is.
FOREIGN = ("LOAD_", "K6_", "AWS_", "SALTERN_")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name == "K6_MAJOR" or not name.startswith(FOREIGN)}

# A budget was broken.
THRESHOLDS_CROSSED = 99
# The script refused its knobs, or its target, before it asked anything.
SCRIPT_EXCEPTION = 107


def k6(command, script, **environment):
    """What `k6 run` or `k6 inspect` ended with, and said."""
    # By itself only `run` gives a script the environment.
    options = {"run": ["--quiet", "--log-format", "raw"], "inspect": ["--include-system-env-vars", "--log-format", "raw"]}
    arguments = [LOADTEST / "k6", command, *options[command], LOADTEST / script]
    environment = {name: str(value) for name, value in environment.items()}
    return subprocess.run(arguments, env={**ENVIRONMENT, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def summary(script, **knobs):
    """Runs a script and returns how it ended, what it said, and its summary file."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        run = k6("run", script, LOAD_SUMMARY_FILE=file.name, **knobs)
        text = pathlib.Path(file.name).read_text()
    return run, json.loads(text) if text else None


@contextlib.contextmanager
def server(*arguments):
    """`saltern serve` with the load test's policies; gives its address."""
    command = [ROOT / "target/debug/saltern", "serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--policies", LOADTEST / "policies.json"]
    process = subprocess.Popen([*command, *arguments], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stdout:
            said = json.loads(line)
            if said.get("message") == "serving":
                break
        else:
            raise RuntimeError("the server did not start")
        # A pipe that nobody reads would hold the server up.
        threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
        yield f"http://{said['address']}"
    finally:
        process.terminate()
        process.wait()
