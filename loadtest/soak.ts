// The question: does the service stay fast under an ordinary load for hours?
//
// Each tenth has its own budgets: a slow quarter of an hour does not show in the percentiles of
// four hours.

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
  LOAD_SOAK_PER_SECOND: perSecond(50),
  LOAD_SOAK_SECONDS: seconds(4 * 3600),
});
const tenth = { perSecond: given.LOAD_SOAK_PER_SECOND, seconds: given.LOAD_SOAK_SECONDS / 10 };
const phases = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`tenth_${index + 1}`, [tenth]]));
const pieces = Object.values(phases).flat();
const costUsd = refuseCostlyAudience(given, pieces);

export const options = {
  ...OPTIONS,
  scenarios: inPhases(phases, given),
  thresholds: budgets(given, phases),
};

export const setup = () => ready(given, usedPolicies(given));

export default audience(given);

export const handleSummary = summary('soak', 'does the service stay fast under an ordinary load for hours?', given, { pieces, costUsd });
