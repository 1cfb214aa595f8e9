// The question: can this machine run k6 and fleet at the peak for a minute, and how much time do
// they add to the model?
//
// The evenings through fleet depend on this. If k6 drops iterations, or k6 and fleet add much time,
// the figures describe this machine and not Lambda.

import { AUDIENCE, audience, refuseCostlyAudience, usedPolicies } from './lib/audience.ts';
import { OPTIONS, stop } from './lib/budgets.ts';
import { knobs, quantity } from './lib/knobs.ts';
import { arrivals, perSecond, seconds } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { ready } from './lib/target.ts';

const given = knobs({
  ...AUDIENCE,
  ...SUMMARY,
  LOAD_SUSTAINED_PER_SECOND: perSecond(3000),
  LOAD_SUSTAINED_SECONDS: seconds(60),
  /** A sixth of the 300 ms that a login may take. */
  LOAD_BEYOND_MODEL_P99_BUDGET_MS: quantity(50, 1, 10000),
});
const rate = given.LOAD_SUSTAINED_PER_SECOND;
// Opening all connections at once would test the operating system. The rate rises in some seconds.
const peak = [
  { perSecond: rate / 10, seconds: 1 },
  { perSecond: rate, seconds: 5 },
  { perSecond: rate, seconds: given.LOAD_SUSTAINED_SECONDS },
];
const costUsd = refuseCostlyAudience(given, peak);

export const options = {
  ...OPTIONS,
  scenarios: { peak: arrivals(peak, given) },
  thresholds: {
    dropped_iterations: ['count==0'],
    wrong_answers: ['count==0'],
    operations_failed: ['rate==0', ...stop(given)],
    // `max>0` fails if the target is not fleet and reports no time of a model.
    beyond_model_ms: [`p(99)<${given.LOAD_BEYOND_MODEL_P99_BUDGET_MS}`, 'max>0'],
  },
};

export const setup = () => ready(given, usedPolicies(given));

export default audience(given);

export const handleSummary = summary('sustained', 'can this machine run k6 and fleet at the peak?', given, { pieces: peak, costUsd });
