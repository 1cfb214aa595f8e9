// The question: the policy has been raised, and everybody who logs in is due for an upgrade. Does the login hold?
//
// Each right login is a verify and a new hash. Under pressure the service leaves the upgrade out and answers the login: so
// where there is room for the wave nearly all that are due are upgraded, and where there is not, a knob says how many are to be.

import { AUDIENCE, audience, refuseCostlyAudience, usedPolicies } from './lib/audience.ts';
import { BUDGETS, OPTIONS, budgets } from './lib/budgets.ts';
import { knobs, quantity, shares } from './lib/knobs.ts';
import { policies } from './lib/pool.ts';
import { arrivals, perSecond, seconds } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { ready } from './lib/target.ts';

/** The verify, and after it the new hash. */
const HASHES_OF_AN_UPGRADE = 2;

const given = knobs({
  ...AUDIENCE,
  ...BUDGETS,
  ...SUMMARY,
  /** All are under a policy that is not current: who is not due for an upgrade is no part of the wave. */
  LOAD_USERS_PERCENT: shares('bcrypt-10-2019=100', policies),
  /** Of those that are due. A service with room for the wave leaves none out. */
  LOAD_UPGRADED_BUDGET_PERCENT: quantity(99, 0, 100),
  LOAD_WAVE_PER_SECOND: perSecond(100),
  LOAD_WAVE_SECONDS: seconds(300),
});
const wave = [{ perSecond: given.LOAD_WAVE_PER_SECOND, seconds: given.LOAD_WAVE_SECONDS }];
const costUsd = refuseCostlyAudience(given, wave, HASHES_OF_AN_UPGRADE);

export const options = {
  ...OPTIONS,
  scenarios: { wave: arrivals(wave, given) },
  thresholds: {
    ...budgets(given),
    upgraded: [`rate>=${given.LOAD_UPGRADED_BUDGET_PERCENT / 100}`],
    // Where the service finds nobody due there is no rate.
    upgrades: ['count>0'],
  },
};

export function setup() {
  const { current } = ready(given, usedPolicies(given));
  const due = Object.keys(given.LOAD_USERS_PERCENT).filter((id) => id !== current);
  if (due.length === 0) throw new Error(`every user is under ${current}, which is current: nobody is due. LOAD_USERS_PERCENT=bcrypt-10-2019=100 has users of an older policy`);
}

export default audience(given, true);

export const handleSummary = summary('rehash-wave', 'does the login hold while everybody is upgraded?', given, { pieces: wave, costUsd });
