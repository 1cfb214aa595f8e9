// How many ask, over time. An open model: who comes, comes, however long the others wait.

import type { Scenario } from 'k6/options';
import { count, quantity } from './knobs.ts';
import type { Values } from './knobs.ts';

/** One straight piece: the rate goes from where it was to `perSecond`, within `seconds`. */
export interface Piece {
  perSecond: number;
  seconds: number;
}

export const RESERVES = {
  /** Virtual users are reserved for answers this slow. With slower ones k6 drops iterations, and the run fails. */
  LOAD_SLOWEST_MS: count(600, 1, 120000),
  /** So many operations travel as one `/batch`; with 1 each travels alone. */
  LOAD_BATCH_OPERATIONS: count(1, 1, 64),
};

/** The least load that is asked for: a tenth of one a second. */
export const perSecond = (fallback: number) => quantity(fallback, 0.1, 100000);
export const seconds = (fallback: number) => quantity(fallback, 1, 86400);

/** The scenario that asks `pieces` operations, the first piece at its rate from the start, or from the rate of the piece before. */
export function arrivals(pieces: Piece[], reserves: Values<typeof RESERVES>, { exec = 'default', start = 0, from = pieces[0] } = {}): Scenario {
  const batch = reserves.LOAD_BATCH_OPERATIONS;
  // Per minute: k6 takes whole numbers only.
  const rate = (perSecond: number) => Math.max(1, Math.round((perSecond * 60) / batch));
  const reserved = reservedUsers(peak(pieces) / batch, reserves.LOAD_SLOWEST_MS);
  return {
    executor: 'ramping-arrival-rate',
    exec,
    startTime: `${start}s`,
    startRate: rate(from.perSecond),
    timeUnit: '1m',
    stages: pieces.map(({ perSecond, seconds }) => ({ target: rate(perSecond), duration: `${seconds}s` })),
    preAllocatedVUs: reserved,
    // Making them during the run would disturb it.
    maxVUs: reserved,
    gracefulStop: GRACEFUL_STOP,
  };
}

/** Scenarios one after the other, each beginning at the rate at which the one before ended. `scenario` tells them apart in the metrics. */
export function inPhases(phases: Record<string, Piece[]>, reserves: Values<typeof RESERVES>): Record<string, Scenario> {
  let before: Piece[] = [];
  const scenarios = Object.entries(phases).map(([name, pieces]) => {
    const scenario = arrivals(pieces, reserves, { start: duration(before), from: before[before.length - 1] });
    before = [...before, ...pieces];
    return [name, scenario];
  });
  return Object.fromEntries(scenarios);
}

/** By Little's law, and room for the unevenness of arrivals. */
function reservedUsers(iterationsPerSecond: number, slowestMs: number): number {
  return Math.ceil((iterationsPerSecond * slowestMs) / 1000 + SPARE_USERS);
}

export function peak(pieces: Piece[]): number {
  return Math.max(...pieces.map(({ perSecond }) => perSecond));
}

/** How many operations these pieces ask in all. */
export function total(pieces: Piece[]): number {
  let from = pieces[0].perSecond;
  return pieces.reduce((sum, { perSecond, seconds }) => {
    const asked = (seconds * (from + perSecond)) / 2;
    from = perSecond;
    return sum + asked;
  }, 0);
}

export function duration(pieces: Piece[]): number {
  return pieces.reduce((sum, { seconds }) => sum + seconds, 0);
}

const SPARE_USERS = 10;

/** For the answers under way when the last piece ends. */
const GRACEFUL_STOP = '10s';
