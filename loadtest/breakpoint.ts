// The question: how many logins a second can it take, and which budget breaks first?
//
// The rate rises slowly. The run ends at the first broken budget, and its last rate is the answer.

import { AUDIENCE, audience, refuseCostlyAudience, usedPolicies } from './lib/audience.ts';
import { BUDGETS, OPTIONS, budgets, failures } from './lib/budgets.ts';
import { knobs } from './lib/knobs.ts';
import { arrivals, perSecond, seconds } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { ready } from './lib/target.ts';

const given = knobs({
  ...AUDIENCE,
  ...BUDGETS,
  ...SUMMARY,
  LOAD_FIRST_PER_SECOND: perSecond(10),
  LOAD_LAST_PER_SECOND: perSecond(5000),
  LOAD_BREAKPOINT_SECONDS: seconds(600),
});
const rise = [
  { perSecond: given.LOAD_FIRST_PER_SECOND, seconds: 1 },
  { perSecond: given.LOAD_LAST_PER_SECOND, seconds: given.LOAD_BREAKPOINT_SECONDS },
];
const costUsd = refuseCostlyAudience(given, rise);

const stops = (threshold: string) => ({ threshold, abortOnFail: true, delayAbortEval: '5s' });

export const options = {
  ...OPTIONS,
  scenarios: { rise: arrivals(rise, given) },
  thresholds: {
    ...budgets(given),
    // Percentiles and rates cover the whole run, so a break shows somewhat late. The answer is an
    // upper bound.
    'operation_ms{kind:right}': [stops(`p(90)<${given.LOAD_P90_BUDGET_MS}`)],
    operations_failed: [...failures(given), stops(`rate<${Math.max(given.LOAD_ERROR_BUDGET_PERCENT, 1) / 100}`)],
    // k6 has reached its own limit, not that of the service.
    dropped_iterations: [{ threshold: 'count==0', abortOnFail: true }],
  },
};

export const setup = () => ready(given, usedPolicies(given));

export default audience(given);

const report = summary('breakpoint', 'how many logins a second can it take?', given, { pieces: rise, costUsd });

export function handleSummary(data: Parameters<typeof report>[0]) {
  const [first, last] = rise;
  const into = Math.max(0, data.state.testRunDurationMs / 1000 - first.seconds) / last.seconds;
  const reached = first.perSecond + Math.min(1, into) * (last.perSecond - first.perSecond);
  const files = report(data);
  return { ...files, stdout: `${files.stdout}  reached ${reached.toFixed(0)} logins a second\n` };
}
