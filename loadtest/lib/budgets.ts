// The budgets of a run: thresholds, each with its reason.

import type { Options } from 'k6/options';
import { quantity } from './knobs.ts';
import type { Values } from './knobs.ts';
import type { TARGET } from './target.ts';

type Thresholds = NonNullable<Options['thresholds']>;
type Stop = Pick<Values<typeof TARGET>, 'LOAD_ABORT_ERROR_PERCENT'>;
type Budgets = Values<typeof BUDGETS> & Stop;

export const BUDGETS = {
  /** Yle's p90 (yle.json). A person perceives this time as immediate. */
  LOAD_P90_BUDGET_MS: quantity(300, 1, 120000),
  /** One in a thousand: at the peak three people a second must try again. */
  LOAD_ERROR_BUDGET_PERCENT: quantity(0.1, 0, 100),
};

/**
 * Returns the budgets of a script and of each phase. Ten slow minutes do not show in the
 * percentiles of four hours.
 */
export function budgets(of: Budgets, phases: Record<string, unknown> = {}): Thresholds {
  return {
    // If k6 cannot send the planned requests, the run has no result.
    dropped_iterations: ['count==0'],
    // No wrong answer is acceptable.
    wrong_answers: ['count==0'],
    // Right answers only: rejections are fast and would improve the percentile.
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

/** Ends the run if too many operations fail. */
export function stop(of: Stop) {
  if (of.LOAD_ABORT_ERROR_PERCENT >= 100) return [];
  // The first seconds have too few samples.
  return [{ threshold: `rate<=${of.LOAD_ABORT_ERROR_PERCENT / 100}`, abortOnFail: true, delayAbortEval: '10s' }];
}

const p90 = (of: Budgets) => `p(90)<${of.LOAD_P90_BUDGET_MS}`;
const failed = (of: Budgets) => `rate<${Math.max(of.LOAD_ERROR_BUDGET_PERCENT / 100, NONE)}`;

/**
 * These always hold. The summary of k6 has the part of a metric with a tag only if a threshold
 * names it.
 */
const counted: Thresholds = Object.fromEntries(
  ['throttled', 'overloaded', 'deadline_exceeded', 'refused', 'fault', 'timeout', 'unreachable', 'wrong'].map((kind) => [`operation_ms{kind:${kind}}`, ['max>=0']]),
);

/** `rate<0` would fail even without failures. */
const NONE = 1e-9;

/** Fewer tags mean fewer series for k6 to keep. The tag `name` has the path of a request. */
export const OPTIONS: Options = {
  systemTags: ['scenario', 'name', 'status', 'error_code'],
  summaryTrendStats: ['count', 'min', 'med', 'p(90)', 'p(99)', 'max'],
  discardResponseBodies: false,
  // Requests come from the connection pool of a backend, so they share connections.
  noConnectionReuse: false,
};
