// Knobs are environment variables that begin with LOAD_. Each script declares its knobs and rejects
// any other LOAD_… name. k6 ignores unknown names, so a mistyped knob would run a different test.

export interface Knob<T> {
  fallback: T;
  /** Parses a value. Throws the expected form if the value is invalid. */
  read(given: string): T;
}

type Declared = Record<string, Knob<unknown>>;
export type Values<D extends Declared> = { [Name in keyof D]: D[Name] extends Knob<infer T> ? T : never };

/** Reads the declared knobs. Throws a message if a knob is unknown or invalid. */
export function knobs<D extends Declared>(declared: D): Values<D> {
  const names = Object.keys(declared).sort();
  for (const given of Object.keys(__ENV)) {
    if (given.startsWith(PREFIX) && !(given in declared)) {
      throw new Error(`${given} is not a knob of this script. Its knobs: ${names.join(', ')}`);
    }
    if (PREFIX + given in declared) throw new Error(`${given} has no effect: the knob is ${PREFIX}${given}`);
  }
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const { fallback, read } = declared[name];
    const given = __ENV[name];
    try {
      values[name] = given === undefined ? fallback : read(given);
    } catch (expected) {
      throw new Error(`${name}=${given}: ${(expected as Error).message}`);
    }
  }
  return values as Values<D>;
}

/** A number from `least` to `most`, in the unit of the name of the knob. */
export function quantity(fallback: number, least: number, most: number): Knob<number> {
  return {
    fallback,
    read: (given) => {
      const value = Number(given);
      if (given.trim() === '' || !(value >= least && value <= most)) throw new Error(`a number from ${least} to ${most} is expected`);
      return value;
    },
  };
}

/** A whole number from `least` to `most`. */
export function count(fallback: number, least: number, most: number): Knob<number> {
  const { read } = quantity(fallback, least, most);
  return {
    fallback,
    read: (given) => {
      const value = read(given);
      if (!Number.isInteger(value)) throw new Error('a whole number is expected');
      return value;
    },
  };
}

export function text(fallback: string): Knob<string> {
  return { fallback, read: (given) => given };
}

export function url(fallback: string): Knob<string> {
  return {
    fallback,
    read: (given) => {
      if (!/^https?:\/\/[^/?#]+\/?$/.test(given)) throw new Error('http:// or https://, followed by a host only, is expected');
      return given.replace(/\/$/, '');
    },
  };
}

export function oneOf<T extends string>(...choices: [T, ...T[]]): Knob<T> {
  return {
    fallback: choices[0],
    read: (given) => {
      if (!(choices as string[]).includes(given)) throw new Error(`one of ${choices.join(', ')} is expected`);
      return given as T;
    },
  };
}

/** Parts of a whole, in percent: `login=95,registration=4,reset=1`. */
export type Shares = Record<string, number>;

export function shares(fallback: string, known: readonly string[]): Knob<Shares> {
  const read = (given: string): Shares => {
    const parts: Shares = {};
    for (const part of given.split(',')) {
      const [name, percent, ...more] = part.split('=');
      if (!known.includes(name)) throw new Error(`"${name}" is not one of ${known.join(', ')}`);
      if (name in parts) throw new Error(`"${name}" appears twice`);
      const value = Number(percent);
      if (more.length > 0 || percent === undefined || percent === '' || !(value >= 0)) throw new Error(`"${part}" is not ${name}=PERCENT`);
      parts[name] = value;
    }
    const sum = Object.values(parts).reduce((all, one) => all + one, 0);
    if (Math.abs(sum - 100) > ROUNDING) throw new Error(`the parts sum to ${sum}, not to 100`);
    return parts;
  };
  return { fallback: read(fallback), read };
}

const PREFIX = 'LOAD_';

/** The largest rounding error of a sum of decimal fractions. */
const ROUNDING = 1e-9;
