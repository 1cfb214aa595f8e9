// The users. pool.json has them: several under each policy, the same in every run and for every target. `saltern-fleet pool`
// makes the file from policies.json.

import { SharedArray } from 'k6/data';

export interface User {
  policy: string;
  password: string;
  hash: string;
}

/** All users, kept once for all virtual users. */
const users = new SharedArray('pool', () => JSON.parse(open('../pool.json')).users) as User[];

const byPolicy: Record<string, number[]> = {};
for (let index = 0; index < users.length; index += 1) (byPolicy[users[index].policy] ??= []).push(index);

/** The policies that users of the pool are under. */
export const policies = Object.keys(byPolicy);

/** Whoever this virtual user has asked for: what is shared is parsed again at each access. */
const met: User[] = [];

/** One of the users under a policy; `drawn` from 0 to 1. */
export function user(policy: string, drawn: number): User {
  const candidates = byPolicy[policy];
  const index = candidates[Math.floor(drawn * candidates.length)];
  return (met[index] ??= users[index]);
}
