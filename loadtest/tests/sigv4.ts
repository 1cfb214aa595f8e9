// Compares the headers of lib/sigv4.ts with those of botocore. `tests/test_sigv4.py` writes the
// cases and reads the output.

import { bearer } from '../lib/auth.ts';
import { signer } from '../lib/sigv4.ts';
import type { Credentials, Request, Signer } from '../lib/sigv4.ts';

interface Case {
  credentials: Credentials;
  region: string;
  service: string;
  at: string;
  request: Request;
  headers: Record<string, string>;
}

const { signed, tokens } = JSON.parse(open(__ENV.CASES)) as { signed: Case[]; tokens: { token: string; authorization: string }[] };

export const options = { iterations: 1, vus: 1 };

export default function () {
  // One signer for each identity, as in a run. The signer keeps its key for other requests of the
  // same day only.
  const signers: Record<string, Signer> = {};
  for (const [index, { credentials, region, service, at, request, headers }] of signed.entries()) {
    const identity = JSON.stringify([credentials, region, service]);
    signers[identity] ??= signer(credentials, region, service);
    const ours = signers[identity](request, new Date(at));
    report(`signed ${index}`, sorted(ours), sorted(headers));
  }
  for (const [index, { token, authorization }] of tokens.entries()) report(`bearer ${index}`, bearer(token), authorization);
}

function sorted(headers: Record<string, string>): string {
  return JSON.stringify(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]).sort());
}

function report(name: string, ours: string, theirs: string) {
  console.log(ours === theirs ? `SAME ${name}` : `DIFFERENT ${name}\nours   ${ours}\ntheirs ${theirs}`);
}
