// The question: how many logins a second does it finish when it is asked more than it can do?
//
// No budgets: this measures. What the other runs load is a multiple of the answer, so that they mean the same on any machine.

import { AUDIENCE, audience, usedPolicies } from './lib/audience.ts';
import { BACKEND, backend, backendReady } from './lib/backend.ts';
import { OPTIONS } from './lib/budgets.ts';
import { knobs, oneOf } from './lib/knobs.ts';
import { arrivals, perSecond, seconds } from './lib/profile.ts';
import { SUMMARY, summary } from './lib/summary.ts';
import { ready } from './lib/target.ts';

const given = knobs({
  ...AUDIENCE,
  ...BACKEND,
  ...SUMMARY,
  /** Whose capacity: the service's, or that of the example backend before it. */
  LOAD_DOOR: oneOf('service', 'backend'),
  LOAD_ASKED_PER_SECOND: perSecond(500),
  LOAD_ASKED_SECONDS: seconds(10),
});

export const options = {
  ...OPTIONS,
  scenarios: { crowd: arrivals([{ perSecond: given.LOAD_ASKED_PER_SECOND, seconds: given.LOAD_ASKED_SECONDS }], given) },
  thresholds: { dropped_iterations: ['count==0'], 'operation_ms{kind:right}': ['max>0'] },
};

const atBackend = given.LOAD_DOOR === 'backend';

export const setup = () => (atBackend ? backendReady(given) : ready(given, usedPolicies(given)));

export default atBackend ? backend(given).login : audience(given);

const report = summary('capacity', 'how many logins a second does it finish?', given);

export function handleSummary(data: Parameters<typeof report>[0]) {
  const files = report(data);
  const answered = data.metrics['operation_ms{kind:right}'].values.count;
  // What was answered after the crowd had gone was asked while it was there: the time counts to the last answer.
  const perSecond = answered / (data.state.testRunDurationMs / 1000);
  return { ...files, stdout: `${files.stdout}  finished ${perSecond.toFixed(1)} a second\n` };
}
