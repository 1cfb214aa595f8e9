// The question: does every kind of request work, with every policy of the pool?
//
// Every answer is checked. New hashes and upgrades must verify. Wrong passwords and unknown users
// must not.

import exec from 'k6/execution';
import { judged, judgedBatch, record, waited } from './lib/answers.ts';
import type { Kind } from './lib/answers.ts';
import { BUDGETS, OPTIONS, budgets } from './lib/budgets.ts';
import { refuseCostly } from './lib/cost.ts';
import { knobs } from './lib/knobs.ts';
import type { Operation } from './lib/mix.ts';
import { policies, user } from './lib/pool.ts';
import { RESERVES, arrivals, perSecond, seconds, total } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { TARGET, ready, target } from './lib/target.ts';

const given = knobs({
  ...TARGET,
  ...BUDGETS,
  ...SUMMARY,
  LOAD_SLOWEST_MS: RESERVES.LOAD_SLOWEST_MS,
  LOAD_SMOKE_PER_SECOND: perSecond(5),
  LOAD_SMOKE_SECONDS: seconds(10),
});
const service = target(given);
const pieces = [{ perSecond: given.LOAD_SMOKE_PER_SECOND, seconds: given.LOAD_SMOKE_SECONDS }];
/** The limits of a journey. The hashes of a request may run one after the other. */
const [REQUESTS_AT_MOST, HASHES_AT_MOST] = [3, 3];
const costUsd = refuseCostly(given, { requests: REQUESTS_AT_MOST * total(pieces), hashes: 1, turns: HASHES_AT_MOST, policies });

export const options = {
  ...OPTIONS,
  scenarios: { smoke: arrivals(pieces, { ...given, LOAD_BATCH_OPERATIONS: 1 }) },
  thresholds: budgets(given),
};

export const setup = () => ready(given, policies);

export default function () {
  const n = exec.scenario.iterationInTest;
  const journeys = [rightAndWrong, newHash, unknown, upgrade, batch];
  // Runs each journey with each policy before it repeats one.
  journeys[n % journeys.length](policies[Math.floor(n / journeys.length) % policies.length], n);
}

export const handleSummary = summary('smoke', 'does every kind of request work?', given, { pieces, costUsd });

function rightAndWrong(policy: string) {
  const { password, hash } = user(policy, 0);
  ask({ doing: 'login', path: '/verify', body: { password, hash }, match: true });
  ask({ doing: 'login', path: '/verify', body: { password: `${password}!`, hash }, match: false });
}

function newHash(policy: string, n: number) {
  const password = `smoke ${n}`;
  const made = ask({ doing: 'registration', path: '/hash', body: { password, policy } }) as { hash: string } | undefined;
  if (made === undefined) return;
  ask({ doing: 'login', path: '/verify', body: { password, hash: made.hash }, match: true });
  ask({ doing: 'login', path: '/verify', body: { password: `${password}!`, hash: made.hash }, match: false });
}

function unknown() {
  ask({ doing: 'login', path: '/verify', body: { password: 'nobody', hash: null }, match: false });
}

function upgrade(policy: string) {
  const { password, hash } = user(policy, 0);
  const answer = ask({ doing: 'login', path: '/verify', body: { password, hash, rehash: true }, match: true }) as { rehashed?: { hash: string } } | undefined;
  if (answer?.rehashed) ask({ doing: 'login', path: '/verify', body: { password, hash: answer.rehashed.hash }, match: true });
}

function batch(policy: string) {
  const { password, hash } = user(policy, 0);
  const login = (given: string, match: boolean): Operation => ({ doing: 'login', path: '/verify', body: { password: given, hash }, match });
  const operations = [login(password, true), login(`${password}!`, false), login(password, true)];
  const startedAt = Date.now();
  const answer = service.post('/batch', { operations: operations.map(({ path, body }) => ({ op: path.slice(1), ...body })) });
  count(operations, judgedBatch(operations, answer), waited(answer, startedAt));
}

/** Sends an operation and counts it. Returns the answer if it is right. */
function ask(operation: Operation): unknown {
  const startedAt = Date.now();
  const answer = service.post(operation.path, operation.body);
  const kind = judged(operation, answer);
  record(operation, kind, waited(answer, startedAt));
  return kind === 'right' ? answer.json() : undefined;
}

function count(operations: Operation[], kinds: Kind[], ms: number) {
  operations.forEach((operation, index) => record(operation, kinds[index], ms));
}
