// What a run may use up and still pass. A threshold is a budget that somebody chose: each has its reason.

import type { Options } from 'k6/options';
import { quantity } from './knobs.ts';
import type { Values } from './knobs.ts';
import type { TARGET } from './target.ts';

type Thresholds = NonNullable<Options['thresholds']>;
type Stop = Pick<Values<typeof TARGET>, 'LOAD_ABORT_ERROR_PERCENT'>;
type Budgets = Values<typeof BUDGETS> & Stop;

export const BUDGETS = {
  /** What Yle kept for nine of ten logins (yle.json), and what a person takes for "at once". */
  LOAD_P90_BUDGET_MS: quantity(300, 1, 120000),
  /** One in a thousand: three people a second at the peak, who try once more. */
  LOAD_ERROR_BUDGET_PERCENT: quantity(0.1, 0, 100),
};

/** The budgets of every script, and for each of `phases` its own: ten slow minutes pass unseen in the percentiles of four hours. */
export function budgets(of: Budgets, phases: Record<string, unknown> = {}): Thresholds {
  return {
    // k6 could not send as many as were asked for: then the run says nothing about the service.
    dropped_iterations: ['count==0'],
    // A wrong answer is not a matter of degree.
    wrong_answers: ['count==0'],
    // Of right answers only: a refusal is quick, and would make the percentile look better.
    'operation_ms{kind:right}': [p90(of)],
    operations_failed: failures(of),
    ...Object.fromEntries(
      Object.keys(phases).flatMap((phase) => [
        [`operation_ms{scenario:${phase},kind:right}`, [p90(of)]],
        [`operations_failed{scenario:${phase}}`, [failed(of)]],
      ]),
    ),
    ...counted,
  };
}

export const failures = (of: Budgets) => [failed(of), ...stop(of)];

/** Ends the run where more have failed than it may hurt. */
export function stop(of: Stop) {
  if (of.LOAD_ABORT_ERROR_PERCENT >= 100) return [];
  // Not before it has seen something.
  return [{ threshold: `rate<=${of.LOAD_ABORT_ERROR_PERCENT / 100}`, abortOnFail: true, delayAbortEval: '10s' }];
}

const p90 = (of: Budgets) => `p(90)<${of.LOAD_P90_BUDGET_MS}`;
const failed = (of: Budgets) => `rate<${Math.max(of.LOAD_ERROR_BUDGET_PERCENT / 100, NONE)}`;

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
