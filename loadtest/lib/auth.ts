// Who the caller is: nobody, the bearer of a token (`saltern serve`), or an AWS identity (a Function URL with AWS_IAM).
// Secrets come from the environment, by the names that AWS's own tools use, and are no knobs: what is a knob is printed.

import { signer } from './sigv4.ts';
import type { Request } from './sigv4.ts';

export type Scheme = 'none' | 'bearer' | 'sigv4';

/** The headers of a request, with what the scheme adds. */
export type Authorize = (request: Request) => Record<string, string>;

export function authorize(scheme: Scheme): Authorize {
  switch (scheme) {
    case 'none':
      return (request) => request.headers;
    case 'bearer': {
      const authorization = bearer(required('SALTERN_TOKEN', 'one of the tokens that the server was started with'));
      return (request) => ({ ...request.headers, authorization });
    }
    case 'sigv4': {
      const sign = signer(
        {
          accessKeyId: required('AWS_ACCESS_KEY_ID', 'as `aws configure export-credentials --format env` prints it'),
          secretAccessKey: required('AWS_SECRET_ACCESS_KEY', 'as `aws configure export-credentials --format env` prints it'),
          // Credentials of a role come with one and last from one to twelve hours: the run should be shorter.
          sessionToken: __ENV.AWS_SESSION_TOKEN,
        },
        required('AWS_REGION', 'the region of the function'),
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
