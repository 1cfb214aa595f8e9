// The authentication of the caller: none, a token (`saltern serve`), or an AWS identity (a Function
// URL with AWS_IAM). Secrets are environment variables with the names of the AWS tools. They are
// not knobs, because knobs are printed.

import { signer } from './sigv4.ts';
import type { Request } from './sigv4.ts';

export type Scheme = 'none' | 'bearer' | 'sigv4';

/** Returns the headers of a request with those of the scheme. */
export type Authorize = (request: Request) => Record<string, string>;

export function authorize(scheme: Scheme): Authorize {
  switch (scheme) {
    case 'none':
      return (request) => request.headers;
    case 'bearer': {
      const authorization = bearer(required('SALTERN_TOKEN', 'set it to a token of the server'));
      return (request) => ({ ...request.headers, authorization });
    }
    case 'sigv4': {
      const sign = signer(
        {
          accessKeyId: required('AWS_ACCESS_KEY_ID', '`aws configure export-credentials --format env` prints it'),
          secretAccessKey: required('AWS_SECRET_ACCESS_KEY', '`aws configure export-credentials --format env` prints it'),
          // Credentials of a role have one. They last from one to twelve hours, so the run must be
          // shorter.
          sessionToken: __ENV.AWS_SESSION_TOKEN,
        },
        required('AWS_REGION', 'set it to the region of the function'),
        'lambda',
      );
      return (request) => sign(request, new Date());
    }
  }
}

/** RFC 6750 §2.1. */
export function bearer(token: string): string {
  return `Bearer ${token}`;
}

function required(name: string, what: string): string {
  const value = __ENV[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: ${what}`);
  return value;
}
