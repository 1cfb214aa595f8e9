// Random draws that are the same in every run. A draw depends on the number of the iteration and on
// its purpose, not on the virtual user or the time.

import type { Shares } from './knobs.ts';

/** Returns a number from 0 to below 1. `purpose` distinguishes the draws of an iteration. */
export function draw(iteration: number, purpose: number): number {
  // The finaliser of MurmurHash3: every bit of the input changes half of the bits of the output.
  let bits = (Math.imul(iteration + 1, 0x9e3779b1) ^ Math.imul(purpose + 1, 0x85ebca6b)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns a function that draws a part with the probability of its share. */
export function chooser(parts: Shares): (drawn: number) => string {
  const names = Object.keys(parts).filter((name) => parts[name] > 0);
  let sum = 0;
  const upTo = names.map((name) => (sum += parts[name]));
  const last = names.length - 1;
  return (drawn) => {
    let at = 0;
    while (at < last && drawn * 100 >= upTo[at]) at += 1;
    return names[at];
  };
}
