// Prints hashes of `saltern` as the Node package argon2 prints them, for deviations.py.
import { createRequire } from "node:module";
import argon2 from "argon2";

const { version } = createRequire(import.meta.url)("argon2/package.json");
const hashes = [];
for (const [name, type] of [
  ["argon2id", argon2.argon2id],
  ["argon2i", argon2.argon2i],
  ["argon2d", argon2.argon2d],
]) {
  const salt = Buffer.from("0123456789abcdef");
  hashes.push([name, await argon2.hash("saltern", { type, salt, memoryCost: 64, timeCost: 2, parallelism: 2 })]);
}
console.log(JSON.stringify({ version: `argon2 ${version}`, hashes }));
