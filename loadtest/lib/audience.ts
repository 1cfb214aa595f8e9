// One iteration of the audience: a single operation, or a batch as a coalescing client sends it.

import exec from 'k6/execution';
import { judged, judgedBatch, record, recordBeyondModel, waited } from './answers.ts';
import { refuseCostly } from './cost.ts';
import { MIX, operations } from './mix.ts';
import type { Mix } from './mix.ts';
import { RESERVES, total } from './profile.ts';
import type { Piece } from './profile.ts';
import { TARGET, target } from './target.ts';
import type { Values } from './knobs.ts';

export const AUDIENCE = { ...TARGET, ...MIX, ...RESERVES };

/** Returns the function of a scenario. */
export function audience(given: Values<typeof AUDIENCE>): () => void {
  const service = target(given);
  const operation = operations(given);
  const size = given.LOAD_BATCH_OPERATIONS;
  if (size === 1) {
    return () => {
      const asked = operation(exec.scenario.iterationInTest);
      const startedAt = Date.now();
      const answer = service.post(asked.path, asked.body);
      const ms = waited(answer, startedAt);
      record(asked, judged(asked, answer), ms);
      recordBeyondModel(answer, ms);
    };
  }
  return () => {
    const first = exec.scenario.iterationInTest * size;
    const asked = Array.from({ length: size }, (_, index) => operation(first + index));
    const startedAt = Date.now();
    const answer = service.post('/batch', { operations: asked.map(({ path, body }) => ({ op: path.slice(1), ...body })) });
    const ms = waited(answer, startedAt);
    judgedBatch(asked, answer).forEach((kind, index) => record(asked[index], kind, ms));
    recordBeyondModel(answer, ms);
  };
}

/** Rejects a run that could cost more than its ceiling. Returns its highest cost in US dollars. */
export function refuseCostlyAudience(given: Values<typeof AUDIENCE>, pieces: Piece[]): number {
  const size = given.LOAD_BATCH_OPERATIONS;
  // A verify, and for some logins then a new hash.
  const turns = 1 + given.LOAD_UPGRADES_PERCENT / 100;
  return refuseCostly(given, { requests: total(pieces) / size, hashes: size, turns, policies: usedPolicies(given) });
}

/** Returns the policies that a run uses. */
export function usedPolicies(mix: Mix): string[] {
  return [...new Set([...Object.keys(mix.LOAD_USERS_PERCENT), mix.LOAD_NEW_HASH_POLICY])];
}
