// The question: how does a backend that hashes in its own process behave above its capacity?
//
// Yle saw this before the change: the hashes take every core, and all other work stops. The script
// measures `/hello`, which needs no hash. The load is a multiple of the capacity (`capacity.ts`
// with LOAD_DOOR=backend), so that results are comparable on any machine.

import { BACKEND, backend, backendReady } from './lib/backend.ts';
import { OPTIONS } from './lib/budgets.ts';
import { knobs, quantity } from './lib/knobs.ts';
import { arrivals, duration, perSecond, seconds } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';

const given = knobs({
  ...BACKEND,
  ...SUMMARY,
  LOAD_CAPACITY_PER_SECOND: perSecond(10),
  /** The rates of an ordinary evening and of the invitation, as parts of the capacity. */
  LOAD_BASELINE_OF_CAPACITY: quantity(0.3, 0, 10),
  LOAD_INVITATION_OF_CAPACITY: quantity(1.5, 0, 100),
  LOAD_BASELINE_SECONDS: seconds(20),
  LOAD_RISE_SECONDS: seconds(5),
  LOAD_INVITATION_SECONDS: seconds(40),
  LOAD_HELLO_PER_SECOND: perSecond(10),
  LOAD_HELLO_P99_BUDGET_MS: quantity(100, 1, 60000),
  LOAD_P90_BUDGET_MS: quantity(300, 1, 60000),
});
const journeys = backend(given);
const [baseline, invitation] = [given.LOAD_BASELINE_OF_CAPACITY, given.LOAD_INVITATION_OF_CAPACITY].map((part) => part * given.LOAD_CAPACITY_PER_SECOND);
const evening = [
  { perSecond: baseline, seconds: given.LOAD_BASELINE_SECONDS },
  { perSecond: invitation, seconds: given.LOAD_RISE_SECONDS },
  { perSecond: invitation, seconds: given.LOAD_INVITATION_SECONDS },
  { perSecond: baseline, seconds: given.LOAD_RISE_SECONDS },
  { perSecond: baseline, seconds: given.LOAD_BASELINE_SECONDS },
];
const reserves = { LOAD_SLOWEST_MS: given.LOAD_PATIENCE_MS, LOAD_BATCH_OPERATIONS: 1 };

export const options = {
  ...OPTIONS,
  scenarios: {
    logins: arrivals(evening, reserves, { exec: 'login' }),
    hello: arrivals([{ perSecond: given.LOAD_HELLO_PER_SECOND, seconds: duration(evening) }], reserves, { exec: 'hello' }),
  },
  thresholds: {
    dropped_iterations: ['count==0'],
    wrong_answers: ['count==0'],
    hello_ms: [`p(99)<${given.LOAD_HELLO_P99_BUDGET_MS}`],
    operations_failed: ['rate<0.001'],
    'operation_ms{kind:right}': [`p(90)<${given.LOAD_P90_BUDGET_MS}`],
    'operation_ms{kind:timeout}': ['max>=0'],
    'operation_ms{kind:unreachable}': ['max>=0'],
  },
};

export const setup = () => backendReady(given);

export const login = journeys.login;
export const hello = journeys.hello;

export const handleSummary = summary('own-process', 'how does a backend that hashes in its own process behave above its capacity?', given, { pieces: evening });
