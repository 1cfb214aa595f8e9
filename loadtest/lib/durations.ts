// The billed time of a request on Lambda: durations.json, scaled to memory and batch, as in
// `saltern-fleet plan`.

interface Documented {
  reference_memory_mb: { value: number };
  policies: Record<string, { scheme: string; arm64_milliseconds: number; x86_64_milliseconds: number }>;
  batch_percent_of_one: Record<string, { percent: Record<string, number> }>;
}

interface Policy {
  id: string;
  algorithm: string;
  cost?: number;
  iterations?: number;
  memory_kib?: number;
  passes?: number;
  parallelism?: number;
}

export type Architecture = 'arm64' | 'x86_64';

const documented = JSON.parse(open('../../infra/modules/password-hasher/durations.json')) as Documented;
const policies = (JSON.parse(open('../policies.json')) as { policies: Policy[] }).policies;

/** Returns the milliseconds of all hashes of a request under a policy of policies.json. */
export function milliseconds(policy: string, architecture: Architecture, memoryMb: number, hashes: number): number {
  const of = policies.find(({ id }) => id === policy);
  if (of === undefined) throw new Error(`loadtest/policies.json has no policy ${policy}`);
  const reference = documented.reference_memory_mb.value;
  // Each whole virtual CPU computes its share. Below one virtual CPU a hash takes proportionally
  // longer.
  const share = Math.ceil(hashes / Math.max(1, Math.floor(memoryMb / reference)));
  return oneMs(of, architecture) * timesOfOne(of.algorithm, share) * (Math.max(reference, memoryMb) / memoryMb);
}

/**
 * The time of one hash on one virtual CPU, from its own row or scaled from the nearest row of its
 * scheme.
 */
function oneMs(policy: Policy, architecture: Architecture): number {
  const wanted = work(policy.algorithm, parameters(policy));
  const rows = Object.entries(documented.policies)
    .filter(([, { scheme }]) => scheme === policy.algorithm)
    .map(([name, row]) => ({ ms: row[`${architecture}_milliseconds`], work: work(row.scheme, name.slice(row.scheme.length + 1).split('-').map(Number)) }));
  if (rows.length === 0) throw new Error(`durations.json has no ${policy.algorithm}: set LOAD_BILLED_MS to the billed time of a request`);
  const apart = (row: { work: number }) => Math.abs(Math.log(row.work / wanted));
  const nearest = rows.reduce((best, row) => (apart(row) < apart(best) ? row : best));
  return (nearest.ms * wanted) / nearest.work;
}

/** The parameters in the order of durations.json. */
function parameters({ cost, iterations, memory_kib, passes, parallelism }: Policy): number[] {
  return [cost, iterations, memory_kib, passes, parallelism].filter((value) => value !== undefined);
}

/** The work of a hash, in a unit in which the time of its scheme is linear. */
function work(scheme: string, [first, second]: number[]): number {
  return scheme === 'bcrypt' ? 2 ** first : scheme === 'argon2id' ? first * second : first;
}

/** Interpolates between two rows. Above the last row: full batches of its size and the rest. */
function timesOfOne(scheme: string, hashes: number): number {
  if (hashes === 0) return 0;
  const rows = Object.entries(documented.batch_percent_of_one[scheme].percent).map(([size, percent]) => ({ size: Number(size), times: percent / 100 }));
  const widest = rows[rows.length - 1];
  if (hashes > widest.size) return widest.times * Math.floor(hashes / widest.size) + timesOfOne(scheme, hashes % widest.size);
  const above = rows.findIndex(({ size }) => size >= hashes);
  const [few, many] = [rows[Math.max(0, above - 1)], rows[above]];
  return many.size === hashes ? many.times : few.times + ((many.times - few.times) * (hashes - few.size)) / (many.size - few.size);
}
