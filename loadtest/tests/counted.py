"""Runs tests side by side: those with --slow, the named ones, or else all others. Ends with
`N passed, N failed`."""

import concurrent.futures
import pathlib
import sys
import time
import unittest

# Most tests wait for k6, so more run at once than there are cores.
AT_ONCE = 4

# These start a server or fleet.
SLOW = ["test_event", "test_server"]


def cases(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from cases(test)
        else:
            yield test


def run(test):
    """Runs one test and returns its result."""
    result, began = unittest.TestResult(), time.monotonic()
    test.run(result)
    outcome = "ok" if result.wasSuccessful() else "FAILED"
    print(f"{test.id()} ... {outcome} ({time.monotonic() - began:.1f} s)", flush=True)
    return result


def is_marked(test, mark):
    return getattr(getattr(test, test._testMethodName, None), mark, False)


others = sorted(file.stem for file in pathlib.Path().glob("test_*.py") if file.stem not in SLOW)
named = SLOW if sys.argv[1:] == ["--slow"] else sys.argv[1:] or others
tests = list(cases(unittest.TestLoader().loadTestsFromNames(named)))
alone = [test for test in tests if is_marked(test, "alone")]
# The longest test starts first.
together = sorted((test for test in tests if test not in alone), key=lambda test: not is_marked(test, "longest"))

results = [run(test) for test in alone]
with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
    results += pool.map(run, together)

# A test with several failed parts is one failure.
failed = 0
for result in results:
    for test, trace in result.failures + result.errors:
        print(f"\n{test.id()}\n{trace}")
    failed += not result.wasSuccessful()
print(f"{len(results) - failed} passed, {failed} failed")
sys.exit(0 if results and not failed else 1)
