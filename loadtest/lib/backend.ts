// The Scala example backend: a login, which needs a hash, and `/hello`, which needs nothing and should never have to wait.

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
  /** After so long a person has given up. */
  LOAD_PATIENCE_MS: count(10000, 1, 60000),
};

/** Milliseconds of `/hello`; who gives up counts with the time that he waited. */
const helloMs = new Trend('hello_ms', true);
/** Of all `/hello`. A refused connection takes no time, so the time alone says nothing of a backend that is gone. */
const helloRight = new Rate('hello_right');

export function backend(at: Values<typeof BACKEND>) {
  const timeout = `${at.LOAD_PATIENCE_MS}ms`;
  return {
    /** The one user of the example, with the right password or a wrong one. */
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

/** The backend's 503 has no problem document: it says `Retry-After` and nothing else. */
function comeBack(status: number): Kind | undefined {
  return status === 503 ? 'overloaded' : undefined;
}

/** Fails the run before it starts where nobody is there. */
export function backendReady(at: Values<typeof BACKEND>) {
  const answer = http.get(`${at.LOAD_BACKEND_URL}/hello`, { timeout: '10s', responseType: 'text' });
  if (answer.status !== 200) throw new Error(`${at.LOAD_BACKEND_URL}/hello answers ${answer.status === 0 ? answer.error : answer.status}: is the example backend there?`);
}

const WRONG_PASSWORDS = 0.05;
