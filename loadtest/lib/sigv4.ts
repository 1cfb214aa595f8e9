// AWS Signature Version 4, for a Function URL with AWS_IAM. The key of a day is derived once and
// not for every request. tests/test_sigv4.py compares it with botocore, byte for byte.

import { hmac, sha256 } from 'k6/crypto';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface Request {
  method: string;
  /** Percent-encoded, as sent. */
  url: string;
  headers: Record<string, string>;
  body: string;
}

export type Signer = (request: Request, at: Date) => Record<string, string>;

/**
 * Returns a function that adds `x-amz-date`, the token and `authorization` to the headers of a
 * request.
 */
export function signer(credentials: Credentials, region: string, service: string): Signer {
  let day = '';
  let key: ArrayBuffer;

  const keyOf = (date: string): ArrayBuffer => {
    if (date !== day) {
      const parts = [date, region, service, 'aws4_request'];
      key = parts.reduce<string | ArrayBuffer>((secret, part) => hmac('sha256', secret, part, 'binary'), `AWS4${credentials.secretAccessKey}`) as ArrayBuffer;
      day = date;
    }
    return key;
  };

  return ({ method, url, headers, body }, at) => {
    const time = at.toISOString().replace(/[-:]|\.\d+/g, '');
    const date = time.slice(0, 8);
    const sent: Record<string, string> = { ...headers, 'x-amz-date': time };
    if (credentials.sessionToken !== undefined) sent['x-amz-security-token'] = credentials.sessionToken;

    const { host, path, query } = parts(url);
    const signed: Record<string, string> = { host };
    for (const [name, value] of Object.entries(sent)) signed[name.toLowerCase()] = value.trim().replace(/\s+/g, ' ');
    const names = Object.keys(signed).sort();
    const canonical = [
      method,
      encodedPath(path),
      sortedQuery(query),
      ...names.map((name) => `${name}:${signed[name]}`),
      '',
      names.join(';'),
      sha256(body, 'hex'),
    ].join('\n');
    const scope = `${date}/${region}/${service}/aws4_request`;
    const signature = hmac('sha256', keyOf(date), `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical, 'hex')}`, 'hex');
    sent.authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    return sent;
  };
}

/** Returns the parts of an absolute URL. k6 has no `URL`. */
function parts(url: string): { host: string; path: string; query: string } {
  const read = /^(https?):\/\/([^/?#]+)([^?#]*)(?:\?([^#]*))?/.exec(url);
  if (read === null) throw new Error('an absolute http or https URL is expected');
  const [, scheme, authority, path, query] = read;
  const host = authority.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '');
  return { host, path: path === '' ? '/' : path, query: query ?? '' };
}

/**
 * Encodes the path a second time, except slashes and unreserved bytes. Only S3 signs the path as
 * sent.
 */
function encodedPath(path: string): string {
  return encodeURIComponent(withoutDots(path)).replace(/%2F/g, '/').replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Removes dot segments (RFC 3986 §5.2.4) and repeated slashes. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}${path.endsWith('/') && kept.length > 0 ? '/' : ''}`;
}

function sortedQuery(query: string): string {
  if (query === '') return '';
  const pairs = query.split('&').map((pair) => {
    const [name, ...value] = pair.split('=');
    return [name, value.join('=')];
  });
  pairs.sort(([name, value], [other, otherValue]) => compare(name, other) || compare(value, otherValue));
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
