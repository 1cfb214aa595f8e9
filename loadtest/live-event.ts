// The question: does the login hold when a live programme invites its audience, and in a second,
// larger wave?
//
// The load follows Yle's evening (yle.json): an ordinary evening, the invitation with 1,500 logins
// a second, then 3,000, and an ordinary evening again. The last phase has its own budgets, because
// the service must also recover.

import { AUDIENCE, audience, refuseCostlyAudience, usedPolicies } from './lib/audience.ts';
import { BUDGETS, OPTIONS, budgets } from './lib/budgets.ts';
import { knobs } from './lib/knobs.ts';
import { inPhases, perSecond, seconds } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { ready } from './lib/target.ts';

const given = knobs({
  ...AUDIENCE,
  ...BUDGETS,
  ...SUMMARY,
  LOAD_BASELINE_PER_SECOND: perSecond(200),
  LOAD_INVITATION_PER_SECOND: perSecond(1500),
  LOAD_SECOND_WAVE_PER_SECOND: perSecond(3000),
  LOAD_BASELINE_SECONDS: seconds(60),
  /** The time in which the audience arrives. */
  LOAD_RISE_SECONDS: seconds(30),
  LOAD_INVITATION_SECONDS: seconds(180),
  LOAD_SECOND_WAVE_SECONDS: seconds(180),
});

const baseline = given.LOAD_BASELINE_PER_SECOND;
const phases = {
  evening: [
    { perSecond: baseline, seconds: given.LOAD_BASELINE_SECONDS },
    { perSecond: given.LOAD_INVITATION_PER_SECOND, seconds: given.LOAD_RISE_SECONDS },
    { perSecond: given.LOAD_INVITATION_PER_SECOND, seconds: given.LOAD_INVITATION_SECONDS },
    { perSecond: given.LOAD_SECOND_WAVE_PER_SECOND, seconds: given.LOAD_RISE_SECONDS },
    { perSecond: given.LOAD_SECOND_WAVE_PER_SECOND, seconds: given.LOAD_SECOND_WAVE_SECONDS },
    { perSecond: baseline, seconds: given.LOAD_RISE_SECONDS },
  ],
  afterwards: [{ perSecond: baseline, seconds: given.LOAD_BASELINE_SECONDS }],
};
const pieces = Object.values(phases).flat();
const costUsd = refuseCostlyAudience(given, pieces);

export const options = {
  ...OPTIONS,
  scenarios: inPhases(phases, given),
  thresholds: {
    ...budgets(given, phases),
    // A service that finds no login due would hide what upgrades cost.
    ...(given.LOAD_UPGRADES_PERCENT > 0 ? { upgrades: ['count>0'] } : {}),
  },
};

export const setup = () => ready(given, usedPolicies(given));

export default audience(given);

export const handleSummary = summary('live-event', 'does the login hold when a live programme invites its audience?', given, { pieces, costUsd });
