// The highest cost of a run against an AWS account, computed before the run.

import { milliseconds } from './durations.ts';
import { oneOf, quantity } from './knobs.ts';
import type { Values } from './knobs.ts';
import type { Scheme } from './auth.ts';

const prices = JSON.parse(open('../../infra/modules/password-hasher/prices.json')) as Record<string, { value: number }>;

export const COST = {
  /**
   * Required with `LOAD_AUTH=sigv4`. A run that could cost more does not start. 0 means no ceiling.
   */
  LOAD_COST_CEILING_USD: quantity(0, 0, 100000),
  LOAD_MEMORY_MB: quantity(1769, 128, 32768),
  /**
   * Milliseconds that Lambda bills for a request, or for a whole batch. 0 takes them from
   * durations.json.
   */
  LOAD_BILLED_MS: quantity(0, 0, 900000),
  LOAD_ARCHITECTURE: oneOf('arm64', 'x86_64'),
};

/** Requests of the same kind. */
export interface Work {
  requests: number;
  /** Hashes that a request computes in parallel. 0 if the service rejects it before any work. */
  hashes: number;
  /** How many times it does so in sequence, on average. */
  turns: number;
  /** The possible policies. The most expensive one counts. */
  policies: string[];
}

type Given = Values<typeof COST> & { LOAD_AUTH: Scheme };

/** Rejects a run that could cost more than its ceiling. Returns its highest cost in US dollars. */
export function refuseCostly(of: Given, ...all: Work[]): number {
  const usd = all.reduce((sum, work) => sum + cost(of, work), 0);
  const ceiling = of.LOAD_COST_CEILING_USD;
  const parts = all.map((work) => `${Math.round(work.requests)} requests of ${Math.round(billedMs(of, work))} ms`);
  const run = `This run sends ${parts.join(' and ')}`;
  if (of.LOAD_AUTH === 'sigv4' && ceiling === 0) {
    throw new Error(`LOAD_COST_CEILING_USD is not set. ${run} to an AWS account and would cost about ${usd.toFixed(2)} USD`);
  }
  if (ceiling > 0 && usd > ceiling) {
    throw new Error(`${run} and would cost about ${usd.toFixed(2)} USD: more than LOAD_COST_CEILING_USD=${ceiling}`);
  }
  return usd;
}

/** Without provisioned concurrency, which costs by the hour and which the run does not order. */
function cost(of: Given, work: Work): number {
  const gbSeconds = (of.LOAD_MEMORY_MB / 1024) * (billedMs(of, work) / 1000);
  const usdPerGbSecond = prices[`${of.LOAD_ARCHITECTURE}_on_demand_usd_per_gb_second`].value;
  return work.requests * (gbSeconds * usdPerGbSecond + prices.requests_usd_per_million.value / 1e6);
}

function billedMs(of: Given, { hashes, turns, policies }: Work): number {
  if (of.LOAD_BILLED_MS > 0) return of.LOAD_BILLED_MS;
  return Math.max(LEAST_BILLED_MS, ...policies.map((policy) => turns * milliseconds(policy, of.LOAD_ARCHITECTURE, of.LOAD_MEMORY_MB, hashes)));
}

/** Lambda rounds up to whole milliseconds. */
const LEAST_BILLED_MS = 1;
