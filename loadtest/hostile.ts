// The question: do honest logins get their share during an attack?
//
// Three crowds run at once: honest logins, guesses, and requests that the service must reject
// before any work. A guess costs as much as a login and looks the same. No guess may match. The
// only permitted 5xx is the 503 for overload. The attack must reach the service: guesses get their
// share of answers too.

import { sleep } from 'k6';
import exec from 'k6/execution';
import { Counter, Rate } from 'k6/metrics';
import { judged, record, refusal, tally, waited } from './lib/answers.ts';
import { OPTIONS, stop } from './lib/budgets.ts';
import { chooser, draw } from './lib/chance.ts';
import { refuseCostly } from './lib/cost.ts';
import { hostileBodies, hostileHashes } from './lib/hostile.ts';
import { knobs, quantity } from './lib/knobs.ts';
import { MIX, operations } from './lib/mix.ts';
import type { Operation } from './lib/mix.ts';
import { user } from './lib/pool.ts';
import { RESERVES, arrivals, perSecond, seconds } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { TARGET, ready, target } from './lib/target.ts';

const given = knobs({
  ...TARGET,
  ...SUMMARY,
  LOAD_SLOWEST_MS: RESERVES.LOAD_SLOWEST_MS,
  LOAD_USERS_PERCENT: MIX.LOAD_USERS_PERCENT,
  LOAD_HONEST_PER_SECOND: perSecond(10),
  LOAD_GUESSES_PER_SECOND: perSecond(10),
  LOAD_REFUSABLE_PER_SECOND: perSecond(100),
  LOAD_HOSTILE_SECONDS: seconds(30),
  /** The result of `capacity.ts`. 0 means that the service can answer all requests. */
  LOAD_CAPACITY_PER_SECOND: quantity(0, 0, 100000),
});
const service = target(given);
const reserves = { ...given, LOAD_BATCH_OPERATIONS: 1 };
const steady = (perSecond: number) => [{ perSecond, seconds: given.LOAD_HOSTILE_SECONDS }];
const crowd = (perSecond: number, exec: string) => arrivals(steady(perSecond), reserves, { exec });

// Honest logins and guesses cost the same, so the share of a crowd in the capacity is its share in
// the requests.
const asked = given.LOAD_HONEST_PER_SECOND + given.LOAD_GUESSES_PER_SECOND;
const policies = Object.keys(given.LOAD_USERS_PERCENT);
const costUsd = refuseCostly(
  given,
  { requests: asked * given.LOAD_HOSTILE_SECONDS, hashes: 1, turns: 1, policies },
  { requests: given.LOAD_REFUSABLE_PER_SECOND * given.LOAD_HOSTILE_SECONDS, hashes: 0, turns: 0, policies },
);
const capacity = given.LOAD_CAPACITY_PER_SECOND;
const share = capacity === 0 ? 1 : Math.min(1, capacity / asked);

/** A tenth is the margin for chance and for the cost of rejections. */
const OF_ITS_SHARE = 0.9;

/** Logins of honest users, with right passwords. */
const rightLogin = operations({ ...given, LOAD_MIX_PERCENT: { login: 100 }, LOAD_LOGIN_PERCENT: { right: 100 }, LOAD_NEW_HASH_POLICY: '', LOAD_UPGRADES_PERCENT: 0 });
const attacked = chooser(given.LOAD_USERS_PERCENT);

const honestAnswered = new Rate('honest_answered');
const guessesAccepted = new Counter('guesses_accepted');
/** Guesses that got the answer "no match". The others were rejected for overload or lost. */
const guessesJudged = new Rate('guesses_judged');
const hostileRefused = new Rate('hostile_refused');

const floor = `rate>=${(OF_ITS_SHARE * share).toFixed(4)}`;

export const options = {
  ...OPTIONS,
  scenarios: {
    honest: crowd(given.LOAD_HONEST_PER_SECOND, 'honest'),
    guesses: crowd(given.LOAD_GUESSES_PER_SECOND, 'guess'),
    refusable: crowd(given.LOAD_REFUSABLE_PER_SECOND, 'refusable'),
  },
  thresholds: {
    dropped_iterations: ['count==0'],
    wrong_answers: ['count==0'],
    guesses_accepted: ['count==0'],
    // Each must get the rejection of the contract.
    hostile_refused: ['rate==1'],
    faults: ['count==0'],
    honest_answered: [floor],
    guesses_judged: [floor],
    // A rejection for overload is no loss.
    operations_lost: stop(given),
  },
};

export const setup = () => ready(given, policies);

/**
 * Waits for at most the time between two arrivals of a crowd. k6 sends each crowd at equal
 * intervals, so two crowds would arrive together again and again in the same order. The second of
 * them would then find the queue full more often.
 */
const scatter = (iteration: number, perSecond: number) => sleep(draw(iteration, SCATTER) / perSecond);

/** The purpose of the draw. `lib/mix.ts` has those from 0 to 4. */
const SCATTER = 5;

export function honest() {
  const n = exec.scenario.iterationInTest;
  const asked = rightLogin(n);
  scatter(n, given.LOAD_HONEST_PER_SECOND);
  const startedAt = Date.now();
  const answer = service.post(asked.path, asked.body);
  const kind = judged(asked, answer);
  record(asked, kind, waited(answer, startedAt));
  honestAnswered.add(kind === 'right');
}

export function guess() {
  const n = exec.scenario.iterationInTest;
  const { password, hash } = user(attacked(draw(n, 0)), draw(n, 1));
  // Guesses of several kinds: similar, different, empty and long.
  const guesses = [`${password} `, password.toUpperCase(), password.slice(0, -1), '', 'x'.repeat(1000), '123456'];
  const asked: Operation = { doing: 'login', path: '/verify', body: { password: guesses[n % guesses.length], hash }, match: false };
  scatter(n, given.LOAD_GUESSES_PER_SECOND);
  const kind = judged(asked, service.post(asked.path, asked.body));
  // A 200 without the answer "no match" counts as accepted.
  guessesAccepted.add(kind === 'wrong' ? 1 : 0);
  guessesJudged.add(kind === 'right');
  tally(kind);
}

export function refusable() {
  const n = exec.scenario.iterationInTest;
  const all = n % 2 === 0 ? hostileHashes : hostileBodies;
  const { what, method, path, body, headers, status, code } = all[Math.floor(n / 2) % all.length];
  const answer = service.send(method, path, body, headers);
  const isRejected = answer.status === status && answer.body?.includes(`"code":"${code}"`) === true;
  hostileRefused.add(isRejected);
  tally(isRejected ? 'right' : refusal(answer));
  if (!isRejected) console.error(`${what}: expected ${status} ${code}, got ${answer.status} (${answer.error})`);
}

export const handleSummary = summary('hostile', 'do honest logins get their share during an attack?', given, { pieces: steady(given.LOAD_HONEST_PER_SECOND), costUsd, share, capacity });
