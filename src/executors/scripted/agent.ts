// The scripted agent: a program with the same contract as a real one (prompt on stdin, answer on stdout), so that the spawn,
// stream, limit and kill code under test is the real code. `agent.ts SCRIPT`; what it plays comes from PAWL_* variables.

import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { AppError, errorText } from "../../domain/error.ts";
import { type Act, actFor, fill, readScript, type Script } from "../script.ts";

const prompt = readFileSync(0, "utf8");
const file = process.argv[2] ?? "";
const env = (name: string) => process.env[name] ?? "";
const cue = {
  step: env("PAWL_STEP"),
  type: env("PAWL_STEP_TYPE"),
  story: env("PAWL_STORY"),
  part: env("PAWL_PART"),
  attempt: Number(env("PAWL_ATTEMPT")),
};
const act = actFor(openScript(), cue);
if (!act) {
  process.stderr.write(
    `the script has no act for step ${cue.step}, story ${cue.story || "-"}, attempt ${cue.attempt}\n`,
  );
  process.exit(70);
}
await play(act);

/** Reports an invalid script in words instead of a stack trace. */
function openScript(): Script {
  try {
    return readScript(readFileSync(file, "utf8"), file);
  } catch (error) {
    const why = errorText(error);
    process.stderr.write(
      error instanceof AppError ? `${why} (${error.hint})\n` : `the script cannot be read: ${why}\n`,
    );
    process.exit(70);
  }
}

async function play(played: Act): Promise<void> {
  const words = {
    step: cue.step,
    type: cue.type,
    shared: env("PAWL_SHARED"),
    slot: env("PAWL_SLOT"),
    story: cue.story,
    part: cue.part,
    attempt: String(cue.attempt),
    run: env("PAWL_RUN"),
    title: env("PAWL_STORY_TITLE"),
    progress_file: env("PAWL_PROGRESS_FILE"),
    prompt,
  };
  const said = (text: string) => fill(text, words);
  if (played.delay) await wait(played.delay);
  for (const [path, text] of Object.entries(played.write ?? {})) put(said(path), said(text), writeFileSync);
  for (const [path, text] of Object.entries(played.append ?? {})) put(said(path), said(text), appendFileSync);
  for (const command of played.run ?? []) {
    const { status } = spawnSync("sh", ["-c", said(command)], { stdio: ["ignore", "inherit", "inherit"] });
    if (status !== 0) process.exit(status ?? 1);
  }
  if (played.commit !== undefined) commit(["-m", said(played.commit)]);
  if (played.amend) commit(["--amend", "--no-edit"]);
  if (played.edits !== undefined) requestEdits(said(JSON.stringify(played.edits)));
  if (played.complain !== undefined) process.stderr.write(said(played.complain));
  if (played.say !== undefined) process.stdout.write(`${said(played.say)}\n`);
  process.exitCode = played.exit ?? 0;
}

/** Writes the whole file under its own name, as agents are told to. */
function requestEdits(text: string): void {
  const file = join(env("PAWL_SHARED"), "workflow_edits", `${cue.story}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.tmp`, text);
  renameSync(`${file}.tmp`, file);
}

/** Only files of the workspace, and the progress file of the attempt. */
function put(path: string, text: string, write: (path: string, text: string) => void): void {
  const target = resolve(path);
  const inside = relative(process.cwd(), target);
  if ((inside.startsWith("..") || isAbsolute(inside)) && target !== env("PAWL_PROGRESS_FILE")) {
    process.stderr.write(`${path} is outside the workspace\n`);
    process.exit(70);
  }
  mkdirSync(dirname(target), { recursive: true });
  write(target, text);
}

function commit(how: readonly string[]): void {
  const identity = ["-c", "user.name=Scripted Agent", "-c", "user.email=agent@pawl.invalid"];
  execFileSync("git", ["add", "-A"], { stdio: ["ignore", "ignore", "inherit"] });
  execFileSync("git", [...identity, "commit", "-q", ...how], { stdio: ["ignore", "ignore", "inherit"] });
}
