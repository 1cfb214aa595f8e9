// What a run may use up and still pass. A threshold is a budget that somebody chose: each has its reason.

import type { Options } from 'k6/options';
import { quantity } from './knobs.ts';
import type { Values } from './knobs.ts';

type Thresholds = NonNullable<Options['thresholds']>;

export const BUDGETS = {
  /** What Yle kept for nine of ten logins (yle.json), and what a person takes for "at once". */
  LOAD_P90_BUDGET_MS: quantity(300, 1, 120000),
  /** One in a thousand: three people a second at the peak, who try once more. */
  LOAD_ERROR_BUDGET_PERCENT: quantity(0.1, 0, 100),
  /** Where so many fail the run ends at once: nothing is learned from hurting users, or a bill, for longer. 100 is never. */
  LOAD_ABORT_ERROR_PERCENT: quantity(5, 0, 100),
};

/** The budgets of every script. */
export function budgets(of: Values<typeof BUDGETS>): Thresholds {
  return {
    // k6 could not send as many as were asked for: then the run says nothing about the service.
    dropped_iterations: ['count==0'],
    // A wrong answer is not a matter of degree.
    wrong_answers: ['count==0'],
    // Of right answers only: a refusal is quick, and would make the percentile look better.
    'operation_ms{kind:right}': [`p(90)<${of.LOAD_P90_BUDGET_MS}`],
    operations_failed: failures(of),
    ...counted,
  };
}

export function failures(of: Values<typeof BUDGETS>) {
  const budget = `rate<${Math.max(of.LOAD_ERROR_BUDGET_PERCENT / 100, NONE)}`;
  if (of.LOAD_ABORT_ERROR_PERCENT >= 100) return [budget];
  // Not before it has seen something.
  return [budget, { threshold: `rate<${of.LOAD_ABORT_ERROR_PERCENT / 100}`, abortOnFail: true, delayAbortEval: '10s' }];
}

/** Always kept. k6's summary holds a tag's share of a metric only where a threshold names it. */
const counted: Thresholds = Object.fromEntries(
  ['throttled', 'overloaded', 'deadline_exceeded', 'refused', 'fault', 'timeout', 'unreachable', 'wrong'].map((kind) => [`operation_ms{kind:${kind}}`, ['max>=0']]),
);

/** `rate<0` could not hold even where nothing failed. */
const NONE = 1e-9;

/** For k6's own samples: fewer tags are fewer series to keep, and requests are told apart by their path. */
export const OPTIONS: Options = {
  systemTags: ['scenario', 'name', 'status', 'error_code'],
  summaryTrendStats: ['count', 'min', 'med', 'p(90)', 'p(99)', 'max'],
  discardResponseBodies: false,
  // A crowd of people does not share one connection, but a backend's pool does.
  noConnectionReuse: false,
};
