// The question: how many logins a second does an overloaded target finish?
//
// Other scripts send a multiple of this capacity, so that their results are comparable on any
// machine. If the target finishes nearly all logins, it could finish more. Then the run fails and
// names a higher rate.

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
  /** The target: the service, or the example backend in front of it. */
  LOAD_DOOR: oneOf('service', 'backend'),
  LOAD_ASKED_PER_SECOND: perSecond(500),
  /**
   * Long compared with the time of an answer, because the time after the last request also counts.
   */
  LOAD_ASKED_SECONDS: quantity(10, 5, 86400),
});
const asked = [{ perSecond: given.LOAD_ASKED_PER_SECOND, seconds: given.LOAD_ASKED_SECONDS }];
const atBackend = given.LOAD_DOOR === 'backend';
const costUsd = atBackend ? undefined : refuseCostlyAudience(given, asked);

/**
 * A target that finishes a larger share could finish more logins. The margin allows for a short
 * pause of the machine.
 */
const SATURATED_BELOW = 0.8;

export const options = {
  ...OPTIONS,
  scenarios: { crowd: arrivals(asked, atBackend ? { ...given, LOAD_BATCH_OPERATIONS: 1 } : given) },
  thresholds: {
    dropped_iterations: ['count==0'],
    wrong_answers: ['count==0'],
    // A rejection for overload is expected here.
    operations_lost: stop(given),
    'operation_ms{kind:right}': ['max>0'],
    // A rate over the whole run, because the last answers come after the last request.
    operations_answered: [`rate<${SATURATED_BELOW * given.LOAD_ASKED_PER_SECOND}`],
  },
};

export const setup = () => (atBackend ? backendReady(given) : ready(given, usedPolicies(given)));

export default atBackend ? backend(given).login : audience(given);

const report = summary('capacity', 'how many logins a second does an overloaded target finish?', given, { pieces: asked, costUsd });

export function handleSummary(data: Parameters<typeof report>[0]) {
  const files = report(data);
  const { dropped_iterations, wrong_answers, operations_answered } = data.metrics;
  const isSound = [dropped_iterations, wrong_answers].every((metric) => (metric?.values.count ?? 0) === 0);
  const { ok } = Object.values(operations_answered.thresholds ?? {})[0];
  const more = isSound && !ok ? `  NOT SATURATED: send more, with LOAD_ASKED_PER_SECOND=${2 * given.LOAD_ASKED_PER_SECOND}\n` : '';
  return { ...files, stdout: `${files.stdout}  finished ${operations_answered.values.rate.toFixed(1)} a second\n${more}` };
}
