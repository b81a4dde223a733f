// Loaded before `pawl` in a chaos test: a file says by how many milliseconds the time of day and the steady time are ahead. Both jump
// when the file changes, in every process of the scene.

import { readFileSync } from "node:fs";

const file = process.env["PAWL_CHAOS_CLOCK"] ?? "";
const realNow = Date.now.bind(Date);
const realSteady = process.hrtime.bigint.bind(process.hrtime);

Date.now = () => realNow() + ahead().day;
process.hrtime.bigint = () => realSteady() + BigInt(ahead().steady) * 1_000_000n;

function ahead(): { readonly day: number; readonly steady: number } {
  const [day = "", steady = ""] = readFileSync(file, "utf8").split(" ");
  return { day: Number(day), steady: Number(steady) };
}
