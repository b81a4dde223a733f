// Salvage of attempts: the work of an attempt that is rolled back is kept as a diff, where its protocol says or in Pawl's home.

import { chmodSync, existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Attempt, baseOf, hasEnded, placeName } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { Machines } from "../../store/store.ts";
import { writeInside } from "../../system/files/inside.ts";
import { saveDiff } from "../../workspaces/trees/salvage.ts";
import type { Parts } from "../parts.ts";

export interface LeftBehind {
  readonly attempt: Attempt;
  readonly base: string;
}

/**
 * What the last of these attempts left, if the engine has decided to discard it. An attempt that died before it began has left nothing;
 * then the one before it counts. A run that was retried continues in its failed step.
 */
export function lastDiscarded(attempts: readonly Attempt[]): LeftBehind | null {
  for (const candidate of attempts.toReversed()) {
    if (!hasEnded(candidate) || !candidate.state.discards) return null;
    const base = baseOf(candidate);
    if (base !== null) return { attempt: candidate, base };
  }
  return null;
}

export type SalvagePorts = Pick<Parts, "home" | "protocols" | "machines" | "secrets" | "log">;

/** The file that has the diff; null when the attempt changed nothing. */
export async function salvage(parts: SalvagePorts, run: Run, path: string, left: LeftBehind): Promise<string | null> {
  const file = await saveLeft(parts, run, path, left);
  if (file !== null && parts.machines?.isGuest === true) await sendDiff(parts, parts.machines, run, left.attempt, file);
  return file;
}

async function saveLeft(parts: SalvagePorts, run: Run, path: string, left: LeftBehind): Promise<string | null> {
  const { chosen, ours } = salvagePlaces(parts, run, left.attempt);
  const saved = async ({ file, root }: SalvagePlace) => ((await saveDiff(path, left.base, file, root)) ? file : null);
  if (chosen === null) return await saved(ours);
  try {
    return await saved(chosen);
  } catch (error) {
    // An agent can put a link in the place of the folder. Work must not be lost for that.
    parts.log("salvage.elsewhere", { run: run.header.id, attempt: left.attempt.id, why: errorText(error) });
    return await saved(ours);
  }
}

/** A longer diff stays on its machine, and the log of its attempt says where. */
const mostSentBytes = 2 * 1024 * 1024;

/** Beside a diff that the host has, so that the guest need not keep it. */
export const sentMark = ".sent";

/** To the host, where people look. The store keeps no secret, and a diff that cannot be sent costs nothing else. */
async function sendDiff(
  { secrets, log }: SalvagePorts,
  machines: Machines,
  run: Run,
  attempt: Attempt,
  file: string,
): Promise<void> {
  const of = { run: run.header.id, attempt: attempt.id };
  try {
    const { size } = statSync(file);
    if (existsSync(`${file}${sentMark}`)) return;
    if (size > mostSentBytes) {
      log("salvage.not_sent", { ...of, why: `it has ${size} bytes`, file });
      const line = `[pawl] the diff of its work has ${size} bytes and was not sent: it is on ${machines.name} in ${file}\n`;
      return void (await machines.sendLog(of.run, { attempt: of.attempt, kind: "output", bytes: Buffer.from(line) }));
    }
    const text = secrets.redact(readFileSync(file, "utf8"));
    const isTaken = await machines.sendLog(of.run, { attempt: of.attempt, kind: "diff", bytes: Buffer.from(text) });
    if (isTaken) writeInside(dirname(file), `${file}${sentMark}`, "");
    else log("salvage.not_sent", { ...of, why: "the run is closed", file });
  } catch (error) {
    log("salvage.not_sent", { ...of, why: errorText(error), file });
  }
}

/** What a guest has saved, for the host. */
export function keepDiff(
  { home }: Pick<Parts, "home">,
  { header }: Pick<Run, "header">,
  attempt: Attempt,
  bytes: Uint8Array,
): void {
  const { root, file } = ownPlace(home, header.id, attempt);
  writeInside(root, file, [bytes]);
  chmodSync(file, 0o600);
}

/** The diffs that were saved of attempts of a story, or of the run's own chain, the newest first. */
export function savedDiffsOf(
  parts: Pick<Parts, "home" | "protocols" | "log">,
  run: Run,
  attempts: readonly Attempt[],
): readonly string[] {
  return attempts
    .toSorted((one, other) => other.startedAt - one.startedAt)
    .flatMap((attempt) => {
      const { chosen, ours } = salvagePlaces(parts, run, attempt);
      const places = [...(chosen === null ? [] : [chosen]), ours];
      return places.map(({ file }) => file).filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile());
    });
}

interface SalvagePlace {
  /** The folder that the file is in. */
  readonly root: string;
  readonly file: string;
}

interface Places {
  /** Where its protocol wants it. */
  readonly chosen: SalvagePlace | null;
  readonly ours: SalvagePlace;
}

function salvagePlaces(parts: Pick<Parts, "home" | "protocols" | "log">, run: Run, attempt: Attempt): Places {
  const ours = ownPlace(parts.home, run.header.id, attempt);
  try {
    const file = parts.protocols.of(run.header.definition).diffFile(run.header, attempt);
    return { ours, chosen: file === null ? null : { root: run.header.place.shared ?? dirname(file), file } };
  } catch (error) {
    // Work must not be lost because its protocol has no name for it.
    parts.log("protocol.failed", { run: run.header.id, attempt: attempt.id, why: errorText(error) });
    return { ours, chosen: null };
  }
}

function ownPlace({ salvage: root }: Parts["home"], run: RunId, attempt: Attempt): SalvagePlace {
  return { root, file: join(root, run, `${attempt.story ?? "run"}-${placeName(attempt)}-${attempt.number}.diff`) };
}
