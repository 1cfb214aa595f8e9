// The question: the policy has been raised, and everybody who logs in is due for an upgrade. Does the login hold?
//
// Each right login is a verify and a new hash. Under pressure the service leaves the upgrade out and answers the login: so
// logins are held to the budgets, and the share of upgrades is told.

import { AUDIENCE, audience, usedPolicies } from './lib/audience.ts';
import { BUDGETS, OPTIONS, budgets } from './lib/budgets.ts';
import { COST, refuseCostly } from './lib/cost.ts';
import { knobs } from './lib/knobs.ts';
import { arrivals, perSecond, seconds, total } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { ready } from './lib/target.ts';

const given = knobs({
  ...AUDIENCE,
  ...BUDGETS,
  ...COST,
  ...SUMMARY,
  LOAD_WAVE_PER_SECOND: perSecond(100),
  LOAD_WAVE_SECONDS: seconds(300),
});
const wave = [{ perSecond: given.LOAD_WAVE_PER_SECOND, seconds: given.LOAD_WAVE_SECONDS }];
const costUsd = refuseCostly(given, given.LOAD_AUTH, total(wave) / given.LOAD_BATCH_OPERATIONS);

export const options = {
  ...OPTIONS,
  scenarios: { wave: arrivals(wave, given) },
  thresholds: { ...budgets(given), upgraded: ['rate>=0'] },
};

export function setup() {
  const { current } = ready(given, usedPolicies(given));
  const due = Object.keys(given.LOAD_USERS_PERCENT).filter((id) => id !== current);
  if (due.length === 0) throw new Error(`every user is under ${current}, which is current: nobody is due. LOAD_USERS_PERCENT=bcrypt-10-2019=100 has users of an older policy`);
}

export default audience(given, true);

export const handleSummary = summary('rehash-wave', 'does the login hold while everybody is upgraded?', given, { pieces: wave, costUsd });
