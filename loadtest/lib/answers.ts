// Classifies answers and counts them in metrics. Only right answers count as answered.

import type { RefinedResponse } from 'k6/http';
import { Counter, Rate, Trend } from 'k6/metrics';
import type { Operation } from './mix.ts';

/** The result of an operation. The report uses the same words. */
export type Kind =
  | 'right'
  // A valid answer that is false. This must never happen.
  | 'wrong'
  // The 429 of the platform: too many concurrent requests, or a rise that is too fast.
  | 'throttled'
  // The 503s of the service: its queue is full, or the deadline has passed.
  | 'overloaded'
  | 'deadline_exceeded'
  // A 4xx for a valid request.
  | 'refused'
  // Any other status: a fault of the service or of the platform.
  | 'fault'
  // No answer in time, or no connection.
  | 'timeout'
  | 'unreachable';

/**
 * Milliseconds of every operation, with tags for the operation and its result. Each operation of a
 * batch counts.
 */
const operationMs = new Trend('operation_ms', true);
/** The share of operations without the right answer. */
const operationsFailed = new Rate('operations_failed');
/** Operations with the right answer. */
const operationsAnswered = new Counter('operations_answered');
/**
 * The share of operations with neither the right answer nor a rejection for overload. Under
 * overload only these are failures.
 */
const operationsLost = new Rate('operations_lost');
/** False answers. */
const wrongAnswers = new Counter('wrong_answers');
/** 5xx answers except the 503 of the contract. */
const faults = new Counter('faults');
/** Requests without a connection. */
const unreachable = new Counter('unreachable');
/** The time beyond the time of fleet's model: the time of the door, the network and k6. */
const beyondModelMs = new Trend('beyond_model_ms', true);
/** The share of due logins that got an upgrade. */
const upgraded = new Rate('upgraded');
/** The number of upgrades. A rate without samples breaks no budget, but a count of 0 does. */
const upgrades = new Counter('upgrades');

/** Counts the result of an operation. */
export function record(operation: Operation, kind: Kind, ms: number) {
  operationMs.add(ms, { doing: operation.doing, kind });
  operationsFailed.add(kind !== 'right');
  operationsAnswered.add(kind === 'right' ? 1 : 0);
  tally(kind);
}

/** Counts the results that no request may have. */
export function tally(kind: Kind) {
  operationsLost.add(kind !== 'right' && !COME_BACK.includes(kind));
  if (kind === 'wrong') wrongAnswers.add(1);
  if (kind === 'fault') faults.add(1);
  if (kind === 'unreachable') unreachable.add(1);
}

/** Rejections for overload. The caller may try again. */
const COME_BACK: Kind[] = ['throttled', 'overloaded', 'deadline_exceeded'];

/** Counts the time of an answer beyond the model. Only fleet reports the time of the model. */
export function recordBeyondModel(answer: RefinedResponse<'text'>, ms: number) {
  const modelled = answer.headers['Fleet-Modelled-Ms'];
  if (modelled !== undefined) beyondModelMs.add(ms - Number(modelled));
}

/**
 * Returns the milliseconds that the caller waited for a connection and for the answer. k6 counts
 * the two apart. Without an answer k6 may count nothing, so the clock since `startedAt` is used.
 */
export function waited(answer: RefinedResponse<'text'>, startedAt: number): number {
  const { blocked, duration } = answer.timings;
  return answer.status === 0 ? Date.now() - startedAt : blocked + duration;
}

/** Returns the result of a request with one operation. */
export function judged(operation: Operation, answer: RefinedResponse<'text'>): Kind {
  return answer.status === 200 ? judgedBody(operation, parsed(answer)) : refusal(answer);
}

/** Returns the result of each operation of a batch. */
export function judgedBatch(operations: Operation[], answer: RefinedResponse<'text'>): Kind[] {
  if (answer.status !== 200) return operations.map(() => refusal(answer));
  const results = (parsed(answer) as { results?: { status: number; body?: unknown; problem?: { code?: string } }[] } | undefined)?.results;
  // With a different number of results they cannot be assigned to operations.
  if (!Array.isArray(results) || results.length !== operations.length) return operations.map(() => 'wrong');
  return operations.map((operation, index) => {
    const { status, body, problem } = results[index];
    return status === 200 ? judgedBody(operation, body) : refused(status, problem?.code);
  });
}

/** Returns the result of a request without a 200. */
export function refusal(answer: RefinedResponse<'text'>): Kind {
  if (answer.status === 0) return answer.error_code === REQUEST_TIMEOUT ? 'timeout' : 'unreachable';
  return refused(answer.status, (parsed(answer) as { code?: string } | undefined)?.code);
}

function refused(status: number, code?: string): Kind {
  if (status === 429) return 'throttled';
  if (status === 503 && (code === 'overloaded' || code === 'deadline_exceeded')) return code;
  return status >= 400 && status < 500 ? 'refused' : 'fault';
}

function judgedBody(operation: Operation, body: unknown): Kind {
  const answer = body as { match?: boolean; hash?: string; policy?: string; needs_rehash?: boolean; rehashed?: { hash: string } } | undefined;
  if (operation.path === '/hash') return answer?.hash?.startsWith('$') && answer.policy === operation.body.policy ? 'right' : 'wrong';
  if (operation.body.rehash && answer?.needs_rehash) {
    const made = answer.rehashed !== undefined;
    upgraded.add(made);
    upgrades.add(made ? 1 : 0);
  }
  return answer?.match === operation.match ? 'right' : 'wrong';
}

/** Returns the body as JSON, or `undefined` if it is not JSON. */
export function parsed(answer: RefinedResponse<'text'>): unknown {
  try {
    return JSON.parse(answer.body ?? '');
  } catch {
    return undefined;
  }
}

/** The error code of k6 for a timeout. */
const REQUEST_TIMEOUT = 1050;
