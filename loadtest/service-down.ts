// The question: does the backend stay up when the hashing service is down?
//
// The target is the Scala example backend, whose client then hashes locally on a bounded pool.
// Logins get a right answer or a rejection for overload, and never a wrong answer. `/hello`, which
// needs no hash, stays fast.

import { BACKEND, backend, backendReady } from './lib/backend.ts';
import { OPTIONS } from './lib/budgets.ts';
import { knobs, quantity } from './lib/knobs.ts';
import { RESERVES, arrivals, perSecond, seconds } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';

const given = knobs({
  ...BACKEND,
  ...SUMMARY,
  LOAD_SLOWEST_MS: RESERVES.LOAD_SLOWEST_MS,
  LOAD_LOGINS_PER_SECOND: perSecond(20),
  LOAD_HELLO_PER_SECOND: perSecond(20),
  LOAD_DOWN_SECONDS: seconds(30),
  /**
   * Twenty times the time of an idle backend. client-scala/bin/storm has the strict measurement.
   */
  LOAD_HELLO_P99_BUDGET_MS: quantity(100, 1, 60000),
});
const journeys = backend(given);
const steady = (perSecond: number) => [{ perSecond, seconds: given.LOAD_DOWN_SECONDS }];
const pieces = steady(given.LOAD_LOGINS_PER_SECOND);
const reserves = { LOAD_SLOWEST_MS: Math.max(given.LOAD_SLOWEST_MS, given.LOAD_PATIENCE_MS), LOAD_BATCH_OPERATIONS: 1 };

/** One request of a thousand may fail because of this machine. */
const NEARLY_ALL = 0.999;

export const options = {
  ...OPTIONS,
  scenarios: {
    logins: arrivals(pieces, reserves, { exec: 'login' }),
    hello: arrivals(steady(given.LOAD_HELLO_PER_SECOND), reserves, { exec: 'hello' }),
  },
  thresholds: {
    dropped_iterations: ['count==0'],
    wrong_answers: ['count==0'],
    faults: ['count==0'],
    hello_ms: [`p(99)<${given.LOAD_HELLO_P99_BUDGET_MS}`],
    hello_right: [`rate>=${NEARLY_ALL}`],
    // The backend itself must stay up.
    unreachable: ['count==0'],
    // A rejection for overload is no loss.
    operations_lost: [`rate<=${1 - NEARLY_ALL}`],
    'operation_ms{kind:right}': ['max>0'],
    'operation_ms{kind:overloaded}': ['max>=0'],
    'operation_ms{kind:timeout}': ['max>=0'],
  },
};

export const setup = () => backendReady(given);

export const login = journeys.login;
export const hello = journeys.hello;

export const handleSummary = summary('service-down', 'does the backend stay up when the hashing service is down?', given, { pieces });
