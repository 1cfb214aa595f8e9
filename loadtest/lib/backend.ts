// The Scala example backend: a login, which needs a hash, and `/hello`, which needs none and should
// always be fast.

import http from 'k6/http';
import exec from 'k6/execution';
import { Rate, Trend } from 'k6/metrics';
import { record, refusal, tally, waited } from './answers.ts';
import type { Kind } from './answers.ts';
import { draw } from './chance.ts';
import { count, url } from './knobs.ts';
import type { Values } from './knobs.ts';

export const BACKEND = {
  LOAD_BACKEND_URL: url('http://127.0.0.1:8080'),
  /** The time after which a user gives up. */
  LOAD_PATIENCE_MS: count(10000, 1, 60000),
};

/** Milliseconds of `/hello`. A caller that gives up counts with the time that it waited. */
const helloMs = new Trend('hello_ms', true);
/**
 * The share of right answers to `/hello`. A refused connection is fast, so the time alone does not
 * show a dead backend.
 */
const helloRight = new Rate('hello_right');

export function backend(at: Values<typeof BACKEND>) {
  const timeout = `${at.LOAD_PATIENCE_MS}ms`;
  return {
    /** Logs in the user of the example with the right or a wrong password. */
    login() {
      const right = draw(exec.scenario.iterationInTest, 0) >= WRONG_PASSWORDS;
      const form = { user: 'ada', password: right ? 'secret' : 'guess' };
      const startedAt = Date.now();
      const answer = http.post(`${at.LOAD_BACKEND_URL}/login`, form, { timeout, responseType: 'text', tags: { name: '/login' } });
      const kind: Kind = answer.status === (right ? 200 : 403) ? 'right' : answer.status === (right ? 403 : 200) ? 'wrong' : comeBack(answer.status) ?? refusal(answer);
      record({ doing: 'login', path: '/verify', body: form }, kind, waited(answer, startedAt));
    },
    hello() {
      const startedAt = Date.now();
      const answer = http.get(`${at.LOAD_BACKEND_URL}/hello`, { timeout, responseType: 'text', tags: { name: '/hello' } });
      const kind: Kind = answer.status === 200 && answer.body === 'hello' ? 'right' : refusal(answer);
      helloMs.add(waited(answer, startedAt), { kind });
      helloRight.add(kind === 'right');
      tally(kind);
    },
  };
}

/** The 503 of the backend has a `Retry-After` header and no problem document. */
function comeBack(status: number): Kind | undefined {
  return status === 503 ? 'overloaded' : undefined;
}

/** Fails the run before the load if the backend does not answer. */
export function backendReady(at: Values<typeof BACKEND>) {
  const answer = http.get(`${at.LOAD_BACKEND_URL}/hello`, { timeout: '10s', responseType: 'text' });
  if (answer.status !== 200) throw new Error(`${at.LOAD_BACKEND_URL}/hello: ${answer.status === 0 ? answer.error : answer.status}: is the example backend running?`);
}

const WRONG_PASSWORDS = 0.05;
