// The question: the hashing service is gone, and people log in. Does the backend live?
//
// Through the Scala example backend, whose client then hashes locally on a bounded pool. Logins are answered or told to come
// back, never told a wrong thing; and `/hello`, which has nothing to do with hashing, does not feel it.

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
  /** Twenty times what it takes when idle, and not yet felt. client-scala/bin/storm has the strict measurement. */
  LOAD_HELLO_P99_BUDGET_MS: quantity(100, 1, 60000),
});
const journeys = backend(given);
const steady = (perSecond: number) => [{ perSecond, seconds: given.LOAD_DOWN_SECONDS }];
const pieces = steady(given.LOAD_LOGINS_PER_SECOND);
const reserves = { LOAD_SLOWEST_MS: Math.max(given.LOAD_SLOWEST_MS, given.LOAD_PATIENCE_MS), LOAD_BATCH_OPERATIONS: 1 };

/** One in a thousand may fall to this machine. */
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
    // Nobody listens: the backend itself is gone.
    unreachable: ['count==0'],
    // To be told to come back is an answer.
    operations_lost: [`rate<=${1 - NEARLY_ALL}`],
    'operation_ms{kind:right}': ['max>0'],
    'operation_ms{kind:overloaded}': ['max>=0'],
    'operation_ms{kind:timeout}': ['max>=0'],
  },
};

export const setup = () => backendReady(given);

export const login = journeys.login;
export const hello = journeys.hello;

export const handleSummary = summary('service-down', 'does the backend live when the hashing service is gone?', given, { pieces });
