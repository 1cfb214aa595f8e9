// What a run against an account will cost at the most, before it starts.

import { oneOf, quantity } from './knobs.ts';
import type { Values } from './knobs.ts';
import type { Scheme } from './auth.ts';

const prices = JSON.parse(open('../../infra/modules/password-hasher/prices.json')) as Record<string, { value: number }>;

export const COST = {
  /** Required with `LOAD_AUTH=sigv4`: a run that could cost more does not start. 0 is none. */
  LOAD_COST_CEILING_USD: quantity(0, 0, 100000),
  LOAD_MEMORY_MB: quantity(1769, 128, 32768),
  /** Milliseconds that Lambda bills for one request; for a batch it is the whole batch's. */
  LOAD_BILLED_MS: quantity(250, 1, 900000),
  LOAD_ARCHITECTURE: oneOf('arm64', 'x86_64'),
};

/** US dollars for so many requests. Provisioned concurrency is not in it: it costs by the hour, and the run does not order it. */
export function cost(of: Values<typeof COST>, requests: number): number {
  const gbSeconds = (of.LOAD_MEMORY_MB / 1024) * (of.LOAD_BILLED_MS / 1000);
  const usdPerGbSecond = prices[`${of.LOAD_ARCHITECTURE}_on_demand_usd_per_gb_second`].value;
  return requests * (gbSeconds * usdPerGbSecond + prices.requests_usd_per_million.value / 1e6);
}

/** Refuses a run that could cost more than its ceiling. */
export function refuseCostly(of: Values<typeof COST>, auth: Scheme, requests: number): number {
  const ceiling = of.LOAD_COST_CEILING_USD;
  const usd = cost(of, requests);
  if (auth === 'sigv4' && ceiling === 0) {
    throw new Error(`LOAD_COST_CEILING_USD is not set. This run sends ${Math.round(requests)} requests to an AWS account and would cost about ${usd.toFixed(2)} USD`);
  }
  if (ceiling > 0 && usd > ceiling) {
    throw new Error(`this run sends ${Math.round(requests)} requests and would cost about ${usd.toFixed(2)} USD: more than LOAD_COST_CEILING_USD=${ceiling}`);
  }
  return usd;
}
