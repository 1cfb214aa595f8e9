// What an answer says, and the metrics that come of it. Only right answers count as answered.

import type { RefinedResponse } from 'k6/http';
import { Counter, Rate, Trend } from 'k6/metrics';
import type { Operation } from './mix.ts';

/** `right`, or what went wrong. The report knows these words too. */
export type Kind =
  | 'right'
  // An answer of the contract that is not true: the one thing that must never happen.
  | 'wrong'
  // The platform's 429: too many at once, or too fast a rise.
  | 'throttled'
  // The service's own 503s: it has no room, or no time left.
  | 'overloaded'
  | 'deadline_exceeded'
  // A 4xx for a request that should have been taken.
  | 'refused'
  // Any other status: a fault of the service, or of the platform in front of it.
  | 'fault'
  // No answer in time; no connection.
  | 'timeout'
  | 'unreachable';

/** Milliseconds of every operation, tagged with what was done and what came of it. A batch counts once for each of its own. */
const operationMs = new Trend('operation_ms', true);
/** Operations without the right answer, of all. */
const operationsFailed = new Rate('operations_failed');
/** Operations with the right answer. */
const operationsAnswered = new Counter('operations_answered');
/** Of all, those that were neither answered rightly nor told to come back: where more is asked than there is room for, only these are failures. */
const operationsLost = new Rate('operations_lost');
/** Answers that are not true. */
const wrongAnswers = new Counter('wrong_answers');
/** Answers of 5xx that are not the contract's 503. */
const faults = new Counter('faults');
/** Those to whom nobody listened. */
const unreachable = new Counter('unreachable');
/** What came on top of the time that fleet's model gave: the door's, the network's and k6's own. */
const beyondModelMs = new Trend('beyond_model_ms', true);
/** Logins that were due for an upgrade and got one, of all that were due. */
const upgraded = new Rate('upgraded');
/** So many did. A rate of none breaks no budget, and this does. */
const upgrades = new Counter('upgrades');

/** Counts an operation's outcome. */
export function record(operation: Operation, kind: Kind, ms: number) {
  operationMs.add(ms, { doing: operation.doing, kind });
  operationsFailed.add(kind !== 'right');
  operationsAnswered.add(kind === 'right' ? 1 : 0);
  tally(kind);
}

/** Counts what must not come of anything that is asked, an operation of the audience or not. */
export function tally(kind: Kind) {
  operationsLost.add(kind !== 'right' && !COME_BACK.includes(kind));
  if (kind === 'wrong') wrongAnswers.add(1);
  if (kind === 'fault') faults.add(1);
  if (kind === 'unreachable') unreachable.add(1);
}

/** What says "not now". */
const COME_BACK: Kind[] = ['throttled', 'overloaded', 'deadline_exceeded'];

/** Counts what fleet's answers took beyond the model; others do not say. */
export function recordBeyondModel(answer: RefinedResponse<'text'>, ms: number) {
  const modelled = answer.headers['Fleet-Modelled-Ms'];
  if (modelled !== undefined) beyondModelMs.add(ms - Number(modelled));
}

/**
 * Milliseconds that the caller waited: for a connection, which k6 counts apart, and for the answer. Where none came k6 may
 * count nothing at all, and the clock since `startedAt` says it.
 */
export function waited(answer: RefinedResponse<'text'>, startedAt: number): number {
  const { blocked, duration } = answer.timings;
  return answer.status === 0 ? Date.now() - startedAt : blocked + duration;
}

/** What came of a request for one operation. */
export function judged(operation: Operation, answer: RefinedResponse<'text'>): Kind {
  return answer.status === 200 ? judgedBody(operation, parsed(answer)) : refusal(answer);
}

/** What came of each operation of a batch. */
export function judgedBatch(operations: Operation[], answer: RefinedResponse<'text'>): Kind[] {
  if (answer.status !== 200) return operations.map(() => refusal(answer));
  const results = (parsed(answer) as { results?: { status: number; body?: unknown; problem?: { code?: string } }[] } | undefined)?.results;
  // Too few or too many, and nobody knows whose is whose.
  if (!Array.isArray(results) || results.length !== operations.length) return operations.map(() => 'wrong');
  return operations.map((operation, index) => {
    const { status, body, problem } = results[index];
    return status === 200 ? judgedBody(operation, body) : refused(status, problem?.code);
  });
}

/** What a request that did not end in 200 ended in. */
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
  const said = body as { match?: boolean; hash?: string; policy?: string; needs_rehash?: boolean; rehashed?: { hash: string } } | undefined;
  if (operation.path === '/hash') return said?.hash?.startsWith('$') && said.policy === operation.body.policy ? 'right' : 'wrong';
  if (operation.body.rehash && said?.needs_rehash) {
    const made = said.rehashed !== undefined;
    upgraded.add(made);
    upgrades.add(made ? 1 : 0);
  }
  return said?.match === operation.match ? 'right' : 'wrong';
}

/** The body as JSON, or nothing: an answer that is none is judged, not thrown. */
function parsed(answer: RefinedResponse<'text'>): unknown {
  try {
    return JSON.parse(answer.body ?? '');
  } catch {
    return undefined;
  }
}

/** k6's error code for a request that took longer than its timeout. */
const REQUEST_TIMEOUT = 1050;
