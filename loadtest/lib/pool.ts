// The users of pool.json: several for each policy, the same in every run and for every target.
// The README of fleet says how the file is made from policies.json.

import { SharedArray } from 'k6/data';

export interface User {
  policy: string;
  password: string;
  hash: string;
}

/** All users. The virtual users share one copy. */
const users = new SharedArray('pool', () => JSON.parse(open('../pool.json')).users) as User[];

const byPolicy: Record<string, number[]> = {};
for (let index = 0; index < users.length; index += 1) (byPolicy[users[index].policy] ??= []).push(index);

/** The policies of the pool. */
export const policies = Object.keys(byPolicy);

/** A cache of this virtual user, because each access to the shared array parses the entry again. */
const parsed: User[] = [];

/** Returns a user of a policy. `drawn` is from 0 to below 1. */
export function user(policy: string, drawn: number): User {
  const candidates = byPolicy[policy];
  const index = candidates[Math.floor(drawn * candidates.length)];
  return (parsed[index] ??= users[index]);
}
