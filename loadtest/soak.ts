// The question: does an ordinary load stay ordinary for hours, or does something fill up, leak or slow down?

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
  LOAD_SOAK_PER_SECOND: perSecond(50),
  LOAD_SOAK_SECONDS: seconds(4 * 3600),
});
const soak = [{ perSecond: given.LOAD_SOAK_PER_SECOND, seconds: given.LOAD_SOAK_SECONDS }];
const costUsd = refuseCostly(given, given.LOAD_AUTH, total(soak) / given.LOAD_BATCH_OPERATIONS);

export const options = {
  ...OPTIONS,
  scenarios: { soak: arrivals(soak, given) },
  thresholds: budgets(given),
};

export const setup = () => ready(given, usedPolicies(given));

export default audience(given);

export const handleSummary = summary('soak', 'does an ordinary load stay ordinary for hours?', given, { pieces: soak, costUsd });
