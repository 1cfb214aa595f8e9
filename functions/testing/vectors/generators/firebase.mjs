// For products.py: prints the hash by the package firebase-scrypt of each password in hex on standard
// input, which is {project: {…}, users: [{password, salt}]}. The salt is an input, because Firebase
// draws it and exports it beside the hash.
import { readFileSync } from "node:fs";
import { FirebaseScrypt } from "firebase-scrypt";

const { project, users } = JSON.parse(readFileSync(0, "utf8"));
const version = JSON.parse(readFileSync(new URL("node_modules/firebase-scrypt/package.json", import.meta.url), "utf8")).version;
const scrypt = new FirebaseScrypt({
  memCost: project.memCost,
  rounds: project.rounds,
  saltSeparator: project.saltSeparator,
  signerKey: project.signerKey,
});
const hashes = [];
for (const { password, salt } of users) {
  const text = Buffer.from(password, "hex").toString("utf8");
  const hash = await scrypt.hash(text, salt);
  if (!(await scrypt.verify(text, salt, hash))) throw new Error("the package does not agree with itself");
  hashes.push(hash);
}
console.log(JSON.stringify({ version: `firebase-scrypt ${version}, Node ${process.version}`, hashes }));
