// For deviations.py: prints hashes of `saltern` by packages of Node: package and version to name and
// hash.
import crypto from "node:crypto";
import { createRequire, syncBuiltinESMExports } from "node:module";

// The packages draw their salts from this, so that each run writes the same file.
const salt = Buffer.from("0123456789abcdef");
crypto.randomBytes = (length, done) => (done ? done(null, salt.subarray(0, length)) : salt.subarray(0, length));
syncBuiltinESMExports();

const { default: argon2 } = await import("argon2");
const { Argon: OldArgon } = await import("adonis-hash-9/drivers/argon");
const { Scrypt } = await import("@adonisjs/hash/drivers/scrypt");
const { default: pbkdf2 } = await import("@phc/pbkdf2");

const made = {
  argon2: await Promise.all(
    ["id", "i", "d"].map(async (variant) => {
      const type = argon2[`argon2${variant}`];
      return [`argon2${variant}`, await argon2.hash("saltern", { type, salt, memoryCost: 64, timeCost: 2, parallelism: 2 })];
    }),
  ),
  // The package exchanges i and d, so the string does not tell the variant. Only id is used.
  "adonis-hash-9": [
    ["default cost", await new OldArgon({}).make("saltern")],
    ["low cost", await new OldArgon({ iterations: 2, memory: 64, parallelism: 2 }).make("saltern")],
  ],
  "@adonisjs/hash": [
    ["default cost", await new Scrypt({}).make("saltern")],
    ["N=16", await new Scrypt({ cost: 16, parallelization: 2 }).make("saltern")],
    ["N=1024, output of 128 bytes", await new Scrypt({ cost: 1024, keyLength: 128 }).make("saltern")],
  ],
  "@phc/pbkdf2": [
    ["default cost", await pbkdf2.hash("saltern")],
    ["SHA-1", await pbkdf2.hash("saltern", { digest: "sha1", iterations: 10 })],
    ["SHA-256", await pbkdf2.hash("saltern", { digest: "sha256", iterations: 10 })],
  ],
};
const packages = createRequire(import.meta.url)("./package.json").dependencies;
console.log(JSON.stringify({ packages, made }));
