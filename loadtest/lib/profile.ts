// The rate of arrivals over time. An open model: callers arrive even if earlier callers still wait.

import type { Scenario } from 'k6/options';
import { count, quantity } from './knobs.ts';
import type { Values } from './knobs.ts';

/** A piece of the schedule: the rate moves linearly to `perSecond` within `seconds`. */
export interface Piece {
  perSecond: number;
  seconds: number;
}

export const RESERVES = {
  /**
   * k6 reserves virtual users for answers this slow. With slower answers it drops iterations, and
   * the run fails.
   */
  LOAD_SLOWEST_MS: count(600, 1, 120000),
  /** The operations of a `/batch`. With 1 each operation is its own request. */
  LOAD_BATCH_OPERATIONS: count(1, 1, 64),
};

/** At least one request in ten seconds. */
export const perSecond = (fallback: number) => quantity(fallback, 0.1, 100000);
export const seconds = (fallback: number) => quantity(fallback, 1, 86400);

/**
 * Returns the scenario of a schedule. It starts at the rate of the first piece, or at the rate of
 * the piece `from`.
 */
export function arrivals(pieces: Piece[], reserves: Values<typeof RESERVES>, { exec = 'default', start = 0, from = pieces[0] } = {}): Scenario {
  const batch = reserves.LOAD_BATCH_OPERATIONS;
  // k6 takes only whole numbers, so the rate is per minute.
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
    // New virtual users during the run would disturb it.
    maxVUs: reserved,
    gracefulStop: GRACEFUL_STOP,
  };
}

/**
 * Returns scenarios in sequence. Each starts at the last rate of the one before. The tag `scenario`
 * has their names.
 */
export function inPhases(phases: Record<string, Piece[]>, reserves: Values<typeof RESERVES>): Record<string, Scenario> {
  let before: Piece[] = [];
  const scenarios = Object.entries(phases).map(([name, pieces]) => {
    const scenario = arrivals(pieces, reserves, { start: duration(before), from: before[before.length - 1] });
    before = [...before, ...pieces];
    return [name, scenario];
  });
  return Object.fromEntries(scenarios);
}

/** Little's law, and spare users for uneven arrivals. */
function reservedUsers(iterationsPerSecond: number, slowestMs: number): number {
  return Math.ceil((iterationsPerSecond * slowestMs) / 1000 + SPARE_USERS);
}

export function peak(pieces: Piece[]): number {
  return Math.max(...pieces.map(({ perSecond }) => perSecond));
}

/** Returns the number of operations of a schedule. */
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

/**
 * The time for the last answers after the end of the schedule. It is longer than any caller waits,
 * because k6 counts nothing of a request that it interrupts.
 */
const GRACEFUL_STOP = '75s';
