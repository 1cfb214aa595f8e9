// The question: does the login hold when a live programme invites its audience, and again when more come than were expected?
//
// The shape is the one that Yle tells of (yle.json): an ordinary evening, the invitation, 1,500 logins a second, then
// 3,000, and back to an ordinary evening. Coming back is half of the test.

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
  LOAD_BASELINE_PER_SECOND: perSecond(200),
  LOAD_INVITATION_PER_SECOND: perSecond(1500),
  LOAD_SECOND_WAVE_PER_SECOND: perSecond(3000),
  LOAD_BASELINE_SECONDS: seconds(60),
  /** How long the audience takes to get up from the sofa. */
  LOAD_RISE_SECONDS: seconds(30),
  LOAD_INVITATION_SECONDS: seconds(180),
  LOAD_SECOND_WAVE_SECONDS: seconds(180),
});

const baseline = given.LOAD_BASELINE_PER_SECOND;
const evening = [
  { perSecond: baseline, seconds: given.LOAD_BASELINE_SECONDS },
  { perSecond: given.LOAD_INVITATION_PER_SECOND, seconds: given.LOAD_RISE_SECONDS },
  { perSecond: given.LOAD_INVITATION_PER_SECOND, seconds: given.LOAD_INVITATION_SECONDS },
  { perSecond: given.LOAD_SECOND_WAVE_PER_SECOND, seconds: given.LOAD_RISE_SECONDS },
  { perSecond: given.LOAD_SECOND_WAVE_PER_SECOND, seconds: given.LOAD_SECOND_WAVE_SECONDS },
  { perSecond: baseline, seconds: given.LOAD_RISE_SECONDS },
  { perSecond: baseline, seconds: given.LOAD_BASELINE_SECONDS },
];
const costUsd = refuseCostly(given, given.LOAD_AUTH, total(evening) / given.LOAD_BATCH_OPERATIONS);

export const options = {
  ...OPTIONS,
  scenarios: { evening: arrivals(evening, given) },
  thresholds: budgets(given),
};

export const setup = () => ready(given, usedPolicies(given));

export default audience(given);

export const handleSummary = summary('live-event', 'does the login hold when a live programme invites its audience?', given, { pieces: evening, costUsd });
