// The question: how many logins a second does it finish when it is asked more than it can do?
//
// This measures; what the other runs load is a multiple of the answer, so that they mean the same on any machine. Where it
// finished nearly all that was asked, more would have been possible: then the run fails and says how to ask more.

import { AUDIENCE, audience, refuseCostlyAudience, usedPolicies } from './lib/audience.ts';
import { BACKEND, backend, backendReady } from './lib/backend.ts';
import { OPTIONS, stop } from './lib/budgets.ts';
import { knobs, oneOf, quantity } from './lib/knobs.ts';
import { arrivals, perSecond } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { ready } from './lib/target.ts';

const given = knobs({
  ...AUDIENCE,
  ...BACKEND,
  ...SUMMARY,
  /** Whose capacity: the service's, or that of the example backend before it. */
  LOAD_DOOR: oneOf('service', 'backend'),
  LOAD_ASKED_PER_SECOND: perSecond(500),
  /** Long beside the time of an answer: what comes after the last question counts as time, too. */
  LOAD_ASKED_SECONDS: quantity(10, 5, 86400),
});
const asked = [{ perSecond: given.LOAD_ASKED_PER_SECOND, seconds: given.LOAD_ASKED_SECONDS }];
const atBackend = given.LOAD_DOOR === 'backend';
const costUsd = atBackend ? undefined : refuseCostlyAudience(given, asked);

/** Who finishes more of it than this could have finished more than was asked; the machine may stand still for a moment. */
const SATURATED_BELOW = 0.8;

export const options = {
  ...OPTIONS,
  scenarios: { crowd: arrivals(asked, given) },
  thresholds: {
    dropped_iterations: ['count==0'],
    wrong_answers: ['count==0'],
    // To be told to come back is what a crowd too large is for.
    operations_lost: stop(given),
    'operation_ms{kind:right}': ['max>0'],
    // Per second of the run, to the last answer: what was answered after the crowd had gone was asked while it was there.
    operations_answered: [`rate<${SATURATED_BELOW * given.LOAD_ASKED_PER_SECOND}`],
  },
};

export const setup = () => (atBackend ? backendReady(given) : ready(given, usedPolicies(given)));

export default atBackend ? backend(given).login : audience(given);

const report = summary('capacity', 'how many logins a second does it finish?', given, { pieces: asked, costUsd });

export function handleSummary(data: Parameters<typeof report>[0]) {
  const files = report(data);
  const { dropped_iterations, wrong_answers, operations_answered } = data.metrics;
  const isSound = [dropped_iterations, wrong_answers].every((metric) => (metric?.values.count ?? 0) === 0);
  const { ok } = Object.values(operations_answered.thresholds ?? {})[0];
  const more = isSound && !ok ? `  NOT SATURATED: ask more than it can do, by LOAD_ASKED_PER_SECOND=${2 * given.LOAD_ASKED_PER_SECOND}\n` : '';
  return { ...files, stdout: `${files.stdout}  finished ${operations_answered.values.rate.toFixed(1)} a second\n${more}` };
}
