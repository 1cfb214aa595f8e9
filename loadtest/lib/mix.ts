// The operations of the audience: logins, registrations and password resets. They depend only on
// the number of the iteration.

import { chooser, draw } from './chance.ts';
import { quantity, shares } from './knobs.ts';
import type { Knob, Values } from './knobs.ts';
import { policies, user } from './pool.ts';

export type Doing = 'login' | 'registration' | 'reset';

/** An operation of the contract, with its right answer. */
export interface Operation {
  doing: Doing;
  path: '/hash' | '/verify';
  body: { password: string; policy?: string; hash?: string | null; rehash?: boolean };
  /** Whether the password is right. Absent for a new hash. */
  match?: boolean;
}

export const MIX = {
  /** The mix of an event: almost all users have an account, and few reset their passwords. */
  LOAD_MIX_PERCENT: shares('login=95,registration=4,reset=1', ['login', 'registration', 'reset']),
  /** The mix of logins. `unknown` has no account, and the service computes a decoy hash. */
  LOAD_LOGIN_PERCENT: shares('right=95,wrong=4,unknown=1', ['right', 'wrong', 'unknown']),
  /** The policies of the stored hashes. */
  LOAD_USERS_PERCENT: shares('bcrypt-11-2021=100', policies),
  /** The share of logins that request an upgrade. A right one then computes two hashes, if its user is due. */
  LOAD_UPGRADES_PERCENT: quantity(0, 0, 100),
  /** The policy of new hashes: registrations and resets. */
  LOAD_NEW_HASH_POLICY: newHashPolicy('bcrypt-11-2021'),
};

export type Mix = Values<typeof MIX>;

/** Returns a function from the number of an iteration to its operation. */
export function operations(mix: Mix): (iteration: number) => Operation {
  const doings = chooser(mix.LOAD_MIX_PERCENT);
  const logins = chooser(mix.LOAD_LOGIN_PERCENT);
  const stored = chooser(mix.LOAD_USERS_PERCENT);

  const login = (password: string, hash: string | null, match: boolean, rehash: boolean): Operation => ({
    doing: 'login',
    path: '/verify',
    body: rehash ? { password, hash, rehash } : { password, hash },
    match,
  });

  return (iteration) => {
    const doing = doings(draw(iteration, DRAWS.doing)) as Doing;
    if (doing !== 'login') {
      const password = `${doing} number ${iteration}`;
      return { doing, path: '/hash', body: { password, policy: mix.LOAD_NEW_HASH_POLICY } };
    }
    const { password, hash } = user(stored(draw(iteration, DRAWS.policy)), draw(iteration, DRAWS.user));
    const rehash = draw(iteration, DRAWS.upgrade) * 100 < mix.LOAD_UPGRADES_PERCENT;
    switch (logins(draw(iteration, DRAWS.login))) {
      case 'wrong':
        return login(`${password}!`, hash, false, rehash);
      case 'unknown':
        return login(password, null, false, rehash);
      default:
        return login(password, hash, true, rehash);
    }
  };
}

function newHashPolicy(fallback: string): Knob<string> {
  return {
    fallback,
    read: (given) => {
      if (!policies.includes(given)) throw new Error(`one of ${policies.join(', ')} is expected`);
      return given;
    },
  };
}

/** The purposes of the draws of an iteration. */
const DRAWS = { doing: 0, login: 1, policy: 2, user: 3, upgrade: 4 };
