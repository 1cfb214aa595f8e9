// Chance that comes out the same in every run: a draw depends on the number of the iteration and on what is drawn, not on
// which virtual user drew it, nor on when.

import type { Shares } from './knobs.ts';

/** A number from 0 to 1, 1 excluded. `what` tells the draws of one iteration apart. */
export function draw(iteration: number, what: number): number {
  // The finaliser of MurmurHash3: every bit of the input moves half of the bits of the output.
  let bits = (Math.imul(iteration + 1, 0x9e3779b1) ^ Math.imul(what + 1, 0x85ebca6b)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns what draws one of the parts, each as often as its share says. */
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
