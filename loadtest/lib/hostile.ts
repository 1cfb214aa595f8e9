// Requests of an attacker, which the service must reject before it computes, keeps or repeats
// anything. Each has its rejection by the contract.

import { SharedArray } from 'k6/data';

export interface Hostile {
  what: string;
  method: 'POST' | 'GET';
  path: string;
  body: string;
  headers?: Record<string, string>;
  status: number;
  code: string;
}

interface Vector {
  comment: string;
  hash: string;
  result: string;
}

const REFUSED = ['invalid_hash', 'unsupported_hash', 'cost_out_of_bounds'];

/**
 * Stored hashes that do not parse or that cost more than the ceilings allow, from the vectors of
 * the service.
 */
export const hostileHashes = new SharedArray('hostile hashes', () => {
  const { testGroups } = JSON.parse(open('../../functions/testing/vectors/data/hostile.json')) as { testGroups: { tests: Vector[] }[] };
  const vectors = testGroups.flatMap(({ tests }) => tests);
  // The other vectors have exactly the cost of a ceiling and are valid.
  return vectors.filter(({ result }) => REFUSED.includes(result)).map(({ comment, hash, result }): Hostile => ({
    what: `stored hash: ${comment}`,
    ...post('/verify', JSON.stringify({ password: 'x', hash }), 422, result),
  }));
}) as Hostile[];

/** Bodies that are too large, not JSON, or not of the contract. */
export const hostileBodies: Hostile[] = [
  { what: 'over 16 KiB', ...post('/verify', JSON.stringify({ password: 'x'.repeat(17 * 1024), hash: null }), 413, 'body_too_large') },
  { what: 'password over 1,024 bytes', ...post('/hash', JSON.stringify({ password: 'x'.repeat(1025) }), 422, 'password_too_long') },
  { what: 'over 72 bytes under bcrypt', ...post('/hash', JSON.stringify({ password: 'x'.repeat(73), policy: 'bcrypt-10-2019' }), 422, 'password_too_long') },
  { what: 'NUL under bcrypt', ...post('/hash', JSON.stringify({ password: 'x\0y', policy: 'bcrypt-10-2019' }), 422, 'password_has_nul') },
  { what: 'nested 1,000 deep', ...post('/verify', '['.repeat(1000), 400, 'invalid_json') },
  { what: 'truncated', ...post('/verify', '{"password":"x","hash":', 400, 'invalid_json') },
  { what: 'bytes after the end', ...post('/verify', '{"password":"x","hash":null}{}', 400, 'invalid_json') },
  { what: 'half a surrogate pair', ...post('/verify', '{"password":"\\ud800","hash":null}', 400, 'invalid_json') },
  { what: 'unknown field', ...post('/verify', '{"password":"x","hash":null,"admin":true}', 400, 'invalid_request') },
  { what: 'duplicate key', ...post('/verify', '{"password":"x","password":"y","hash":null}', 400, 'invalid_request') },
  { what: 'wrong type', ...post('/verify', '{"password":["x"],"hash":null}', 400, 'invalid_request') },
  { what: 'empty', ...post('/verify', '', 400, 'invalid_json') },
  { what: 'batch of 65', ...post('/batch', JSON.stringify({ operations: Array(65).fill({ op: 'verify', password: 'x', hash: null }) }), 400, 'invalid_request') },
  { what: 'unknown policy', ...post('/hash', '{"password":"x","policy":"none-such"}', 422, 'unknown_policy') },
  { what: 'a content type other than JSON', ...post('/verify', 'password=x', 415, 'unsupported_media_type'), headers: { 'content-type': 'text/plain' } },
  { what: 'a deadline that is not a number', ...post('/verify', '{"password":"x","hash":null}', 400, 'invalid_request'), headers: { 'saltern-deadline-ms': '1e9' } },
  { what: 'unknown path', ...post('/../../etc/passwd', '{}', 404, 'not_found') },
  { what: 'other method', ...post('/verify', '', 405, 'method_not_allowed'), method: 'GET' },
];

function post(path: string, body: string, status: number, code: string) {
  return { method: 'POST' as const, path, body, status, code };
}
