"""Runs the tests, or those that are named, and ends with `N passed, N failed`."""

import sys
import unittest

loader = unittest.TestLoader()
suite = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(".")
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
# Parts of one test that fail are one failure.
failed = {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}
print(f"{result.testsRun - len(failed)} passed, {len(failed)} failed")
sys.exit(0 if result.testsRun > 0 and not failed else 1)
