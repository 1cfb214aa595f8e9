// For foreign.py: prints hashes of each password on standard input by packages of Node.
import { pbkdf2Sync, randomBytes, scryptSync } from "node:crypto";
import { readFileSync } from "node:fs";
import argon2 from "argon2";
import bcrypt from "bcrypt";
import bcryptjs from "bcryptjs";

const passwords = JSON.parse(readFileSync(0, "utf8"));
const version = (name) => {
  const file = new URL(`node_modules/${name}/package.json`, import.meta.url);
  return `${name} ${JSON.parse(readFileSync(file, "utf8")).version}, Node ${process.version}`;
};
const b64 = (bytes) => bytes.toString("base64").replaceAll("=", "");
const phc = (head, compute) => {
  const salt = randomBytes(16);
  return `${head}$${b64(salt)}$${b64(compute(salt))}`;
};

const groups = [
  {
    name: "Node package bcrypt",
    version: version("bcrypt"),
    flags: [],
    hashes: passwords.map((password) => bcrypt.hashSync(password, 4)),
  },
  {
    name: "Node package bcryptjs",
    version: version("bcryptjs"),
    flags: [],
    hashes: passwords.map((password) => bcryptjs.hashSync(password, 4)),
  },
  {
    name: "Node package argon2",
    version: version("argon2"),
    flags: ["CostOrder"],
    hashes: await Promise.all(
      passwords.map((password) => argon2.hash(password, { memoryCost: 256, timeCost: 2, parallelism: 2 })),
    ),
  },
  {
    name: "Node crypto.scrypt",
    version: `Node ${process.version}`,
    flags: ["PutIntoPhc"],
    hashes: passwords.map((password) =>
      phc("$scrypt$ln=8,r=8,p=1", (salt) => scryptSync(password, salt, 32, { N: 256, r: 8, p: 1 })),
    ),
  },
  {
    name: "Node crypto.pbkdf2, sha512",
    version: `Node ${process.version}`,
    flags: ["PutIntoPhc"],
    hashes: passwords.map((password) =>
      phc("$pbkdf2-sha512$i=1000,l=64", (salt) => pbkdf2Sync(password, salt, 1000, 64, "sha512")),
    ),
  },
];
console.log(JSON.stringify(groups));
