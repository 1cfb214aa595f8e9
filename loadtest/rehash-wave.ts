// The question: does the login hold when a new policy makes every login due for an upgrade?
//
// Each right login is a verify and a new hash. Under load `saltern serve` skips the upgrade and answers
// the login. With enough capacity nearly all due logins are upgraded. With less, a knob sets the
// required share.

import { AUDIENCE, audience, refuseCostlyAudience, usedPolicies } from './lib/audience.ts';
import { BUDGETS, OPTIONS, budgets } from './lib/budgets.ts';
import { knobs, quantity, shares } from './lib/knobs.ts';
import { policies } from './lib/pool.ts';
import { arrivals, perSecond, seconds } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { ready } from './lib/target.ts';

const given = knobs({
  ...AUDIENCE,
  ...BUDGETS,
  ...SUMMARY,
  /** Policies that are not current, so that every user is due for an upgrade. */
  LOAD_USERS_PERCENT: shares('bcrypt-10-2019=100', policies),
  LOAD_UPGRADES_PERCENT: quantity(100, 0.1, 100),
  /**
   * The required share of due logins that are upgraded. A service with enough capacity upgrades
   * all.
   */
  LOAD_UPGRADED_BUDGET_PERCENT: quantity(99, 0, 100),
  LOAD_WAVE_PER_SECOND: perSecond(100),
  LOAD_WAVE_SECONDS: seconds(300),
});
const wave = [{ perSecond: given.LOAD_WAVE_PER_SECOND, seconds: given.LOAD_WAVE_SECONDS }];
const costUsd = refuseCostlyAudience(given, wave);

export const options = {
  ...OPTIONS,
  scenarios: { wave: arrivals(wave, given) },
  thresholds: {
    ...budgets(given),
    upgraded: [`rate>=${given.LOAD_UPGRADED_BUDGET_PERCENT / 100}`],
    // The rate does not exist if the service finds no login due.
    upgrades: ['count>0'],
  },
};

export function setup() {
  const { current } = ready(given, usedPolicies(given));
  const due = Object.keys(given.LOAD_USERS_PERCENT).filter((id) => id !== current);
  if (due.length === 0) throw new Error(`every user has the current policy ${current}, so no login is due for an upgrade: set LOAD_USERS_PERCENT to older policies, such as bcrypt-10-2019=100`);
}

export default audience(given);

export const handleSummary = summary('rehash-wave', 'does the login hold while all users are upgraded?', given, { pieces: wave, costUsd });
