// The question: while attackers guess passwords and send what is meant to break it, do honest logins get their share?
//
// Three crowds at once: honest logins; guesses, which cost as much as a login and cannot be told from one; and requests that
// should cost nothing, because they are refused before any work. No guess may be taken for right, and nothing may end in a
// 5xx but the 503 that says "come back". And the attack has to arrive: guesses are judged as often as honest logins are.

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
  /** What `capacity.ts` measured; 0 says that there is room for all. */
  LOAD_CAPACITY_PER_SECOND: quantity(0, 0, 100000),
});
const service = target(given);
const reserves = { ...given, LOAD_BATCH_OPERATIONS: 1 };
const steady = (perSecond: number) => [{ perSecond, seconds: given.LOAD_HOSTILE_SECONDS }];
const crowd = (perSecond: number, exec: string) => arrivals(steady(perSecond), reserves, { exec });

// Honest logins and guesses are the same work to the service: each crowd's share of the capacity is its share of the asking.
const asked = given.LOAD_HONEST_PER_SECOND + given.LOAD_GUESSES_PER_SECOND;
const policies = Object.keys(given.LOAD_USERS_PERCENT);
const costUsd = refuseCostly(
  given,
  { requests: asked * given.LOAD_HOSTILE_SECONDS, hashes: 1, turns: 1, policies },
  { requests: given.LOAD_REFUSABLE_PER_SECOND * given.LOAD_HOSTILE_SECONDS, hashes: 0, turns: 0, policies },
);
const capacity = given.LOAD_CAPACITY_PER_SECOND;
const share = capacity === 0 ? 1 : Math.min(1, capacity / asked);

/** A tenth is lost to chance and to the refusing. */
const OF_ITS_SHARE = 0.9;

/** Honest people who know their passwords. */
const rightLogin = operations({ ...given, LOAD_MIX_PERCENT: { login: 100 }, LOAD_LOGIN_PERCENT: { right: 100 }, LOAD_NEW_HASH_POLICY: '' });
const attacked = chooser(given.LOAD_USERS_PERCENT);

const honestAnswered = new Rate('honest_answered');
const guessesAccepted = new Counter('guesses_accepted');
/** Guesses that were answered "no"; the others were told to come back, or never arrived. */
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
    // Anything but the refusal that the contract has for it.
    hostile_refused: ['rate==1'],
    faults: ['count==0'],
    honest_answered: [floor],
    guesses_judged: [floor],
    // To be told to come back is no harm.
    operations_lost: stop(given),
  },
};

export const setup = () => ready(given, policies);

export function honest() {
  const asked = rightLogin(exec.scenario.iterationInTest);
  const startedAt = Date.now();
  const answer = service.post(asked.path, asked.body);
  const kind = judged(asked, answer);
  record(asked, kind, waited(answer, startedAt));
  honestAnswered.add(kind === 'right');
}

export function guess() {
  const n = exec.scenario.iterationInTest;
  const { password, hash } = user(attacked(draw(n, 0)), draw(n, 1));
  // Guesses of every kind: near, far, empty, and long.
  const guesses = [`${password} `, password.toUpperCase(), password.slice(0, -1), '', 'x'.repeat(1000), '123456'];
  const asked: Operation = { doing: 'login', path: '/verify', body: { password: guesses[n % guesses.length], hash }, match: false };
  const kind = judged(asked, service.post(asked.path, asked.body));
  // Whatever does not say "no" counts as a yes.
  guessesAccepted.add(kind === 'wrong' ? 1 : 0);
  guessesJudged.add(kind === 'right');
  tally(kind);
}

export function refusable() {
  const n = exec.scenario.iterationInTest;
  const all = n % 2 === 0 ? hostileHashes : hostileBodies;
  const { what, method, path, body, headers, status, code } = all[Math.floor(n / 2) % all.length];
  const answer = service.send(method, path, body, headers);
  const said = answer.status === status && answer.body?.includes(`"code":"${code}"`) === true;
  hostileRefused.add(said);
  tally(said ? 'right' : refusal(answer));
  if (!said) console.error(`${what}: ${status} ${code} is due, ${answer.status} came (${answer.error})`);
}

export const handleSummary = summary('hostile', 'do honest logins get their share while others attack?', given, { pieces: steady(given.LOAD_HONEST_PER_SECOND), costUsd, share, capacity });
