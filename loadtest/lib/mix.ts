// What the audience does: log in, register, reset a password. Which of it an iteration does depends on its number alone.

import { chooser, draw } from './chance.ts';
import { shares } from './knobs.ts';
import type { Knob, Values } from './knobs.ts';
import { policies, user } from './pool.ts';

export type Doing = 'login' | 'registration' | 'reset';

/** One operation of the contract, with the answer that would be right. */
export interface Operation {
  doing: Doing;
  path: '/hash' | '/verify';
  body: { password: string; policy?: string; hash?: string | null; rehash?: boolean };
  /** Whether the password is the user's; of a new hash nothing is asked. */
  match?: boolean;
}

export const MIX = {
  /** What an event brings: almost all have an account, few come for the first time, few have forgotten their password. */
  LOAD_MIX_PERCENT: shares('login=95,registration=4,reset=1', ['login', 'registration', 'reset']),
  /** What becomes of logins. `unknown` has no account: the service does the work of the decoy. */
  LOAD_LOGIN_PERCENT: shares('right=95,wrong=4,unknown=1', ['right', 'wrong', 'unknown']),
  /** Under which policies the users' hashes are stored. */
  LOAD_USERS_PERCENT: shares('bcrypt-11-2021=100', policies),
  /** Under which policy registrations and resets make their hashes. */
  LOAD_NEW_HASH_POLICY: newHashPolicy('bcrypt-11-2021'),
};

export type Mix = Values<typeof MIX>;

/** Returns what says which operation an iteration asks. With `rehash` a right login also asks for an upgrade where one is due. */
export function operations(mix: Mix, rehash = false): (iteration: number) => Operation {
  const doings = chooser(mix.LOAD_MIX_PERCENT);
  const logins = chooser(mix.LOAD_LOGIN_PERCENT);
  const stored = chooser(mix.LOAD_USERS_PERCENT);

  const login = (password: string, hash: string | null, match: boolean): Operation => ({
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
    switch (logins(draw(iteration, DRAWS.login))) {
      case 'wrong':
        return login(`${password}!`, hash, false);
      case 'unknown':
        return login(password, null, false);
      default:
        return login(password, hash, true);
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

/** What is drawn in an iteration, told apart. */
const DRAWS = { doing: 0, login: 1, policy: 2, user: 3 };
