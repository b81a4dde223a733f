// Measures how long `pawl status` and `pawl --version` take, against the same Node doing nothing.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { alternate, type Measurement, medianOf, ms, type Stopwatch } from "./measure.ts";
import { openFilledWorld, takeSample } from "./sample.ts";

const root = join(import.meta.dirname, "..");

export const startUp: Measurement = {
  name: "start-up",
  async measure({ quick, scratch }) {
    // Users start the bundle, in a package without sources: in a clone, each start compares it with some hundred files first.
    execFileSync(process.execPath, [join(root, "scripts", "bundle.ts")], { stdio: "inherit" });
    const installed = join(scratch, "package");
    for (const part of ["bin", "dist", "package.json"])
      cpSync(join(root, part), join(installed, part), { recursive: true });
    const pawl = join(installed, "bin", "pawl");
    const sample = await takeSample(join(scratch, "sample"));
    const home = join(scratch, "home");
    const parts = await openFilledWorld(home, sample, 1_000);
    await parts.store.close();

    const side =
      (...args: readonly string[]) =>
      async (time: Stopwatch) => {
        const ended = await time(() => spawnSync(process.execPath, args, { env: environment(home), encoding: "utf8" }));
        if (ended.status !== 0) throw new Error(`node ${args.join(" ")} ended with ${ended.status}: ${ended.stderr}`);
      };
    const rounds = { warmUp: 2, counted: quick ? 7 : 31 };
    const taken = await alternate(
      { nothing: side("-e", "0"), status: side(pawl, "status", "--json"), version: side(pawl, "--version") },
      rounds,
    );

    const against = (name: "status" | "version") => {
      const [slow, fast] = [medianOf(taken[name], "wallMs"), medianOf(taken.nothing, "wallMs")];
      return { measured: `${ms(slow)} against ${ms(fast)}`, value: slow / fast, unit: "times" as const };
    };
    return [
      { what: "pawl status --json with 1000 runs, against node -e 0", ...against("status"), target: { atMost: 2.2 } },
      { what: "pawl --version, against node -e 0", ...against("version"), target: { atMost: 2 } },
    ];
  },
};

/** The caller's environment must not change what is loaded. */
function environment(home: string): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? home, PAWL_HOME: home };
}
