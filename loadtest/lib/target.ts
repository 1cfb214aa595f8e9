// The target: its address, the authentication and the timeouts.

import http from 'k6/http';
import type { RefinedResponse } from 'k6/http';
import { parsed } from './answers.ts';
import { authorize } from './auth.ts';
import { COST } from './cost.ts';
import { count, oneOf, quantity, text, url } from './knobs.ts';
import type { Values } from './knobs.ts';

export const TARGET = {
  LOAD_URL: url('http://127.0.0.1:9000'),
  /** `bearer` reads SALTERN_TOKEN, `sigv4` the AWS_… variables. */
  LOAD_AUTH: oneOf('none', 'bearer', 'sigv4'),
  /** Invokes this function directly. LOAD_URL is then the address of Lambda in the region. */
  LOAD_FUNCTION: text(''),
  /** The deadline of a request. The caller waits no longer. */
  LOAD_DEADLINE_MS: count(2000, 1, 60000),
  /** Ends the run early if more operations fail, to limit harm and cost. 100 means never. */
  LOAD_ABORT_ERROR_PERCENT: quantity(5, 0, 100),
  ...COST,
};

export interface Target {
  /** Sends `body` as JSON. */
  post(path: string, body: unknown): RefinedResponse<'text'>;
  get(path: string): RefinedResponse<'text'>;
  /** Sends the body unchanged. */
  send(method: 'GET' | 'POST', path: string, body: string, headers?: Record<string, string>): RefinedResponse<'text'>;
}

export function target(at: Values<typeof TARGET>): Target {
  const withAuth = authorize(at.LOAD_AUTH);
  const sent = { 'content-type': 'application/json', 'saltern-deadline-ms': String(at.LOAD_DEADLINE_MS) };
  // Adds the time of the network, so that an answer within the deadline arrives.
  const timeout = `${at.LOAD_DEADLINE_MS + ON_THE_WAY_MS}ms`;
  const send = (method: 'GET' | 'POST', path: string, body: string, more: Record<string, string> = {}) => {
    const headers = { ...sent, ...more };
    const request = (method: 'GET' | 'POST', url: string, headers: Record<string, string>, body: string) =>
      http.request(method, url, body, { headers: withAuth({ method, url, headers, body }), timeout, redirects: 0, responseType: 'text', tags: { name: path } });
    if (at.LOAD_FUNCTION === '') return request(method, at.LOAD_URL + path, headers, body);
    const event = { version: '2.0', rawPath: path, headers, requestContext: { http: { method } }, body };
    return opened(request('POST', `${at.LOAD_URL}/2015-03-31/functions/${at.LOAD_FUNCTION}/invocations?Qualifier=live`, {}, JSON.stringify(event)));
  };
  return {
    post: (path, body) => send('POST', path, JSON.stringify(body)),
    get: (path) => send('GET', path, ''),
    send,
  };
}

/** Returns the answer of the function in an answer of Lambda. A function that failed has none. */
function opened(answer: RefinedResponse<'text'>): RefinedResponse<'text'> {
  if (answer.status !== 200) return answer;
  // k6 counts nothing of an iteration that throws.
  const { statusCode = FUNCTION_FAILED, body = '' } = (parsed(answer) ?? {}) as { statusCode?: number; body?: string };
  answer.status = statusCode;
  answer.body = body;
  return answer;
}

/** What a Function URL answers in its place. */
const FUNCTION_FAILED = 502;

/** Fails the run before the load if the target does not answer or lacks a policy of the run. */
export function ready(at: Values<typeof TARGET>, used: string[]): { current: string } {
  const answer = target(at).get('/policies');
  if (answer.status !== 200) {
    throw new Error(`${at.LOAD_URL}/policies: ${answer.status === 0 ? answer.error : answer.status}: is the service running, and is the caller allowed to call it?`);
  }
  const document = answer.json() as { current: string; policies: { id: string }[] };
  const known = document.policies.map(({ id }) => id);
  const missing = used.filter((id) => !known.includes(id));
  if (missing.length > 0) throw new Error(`${at.LOAD_URL} does not know ${missing.join(', ')}: start it with loadtest/policies.json, or set other policies`);
  return { current: document.current };
}

/** A round trip across an ocean with a TLS handshake. */
const ON_THE_WAY_MS = 1000;
