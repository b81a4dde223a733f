// `pawl worker`. Owns: a worker as a process: its options, its signals, and what it says.

import { type Command, InvalidArgumentError } from "commander";
import type { Application } from "../../../application/application.ts";
import { idleNames, withoutPrograms } from "../../../application/driving/allowed-executors.ts";
import { assertGit } from "../../../application/setup/doctor.ts";
import type { WorkerStarted } from "../../../contracts/service-documents.ts";
import { counted } from "../../../domain/counted.ts";
import { exitCodes } from "../../../domain/error.ts";
import { isSafeId } from "../../../domain/ids.ts";
import { Worker } from "../../../service/worker.ts";
import { summaryOf } from "../../catalogue.ts";
import { applicationHere, type StoreOption } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { spokenLog } from "../../output/spoken-log.ts";
import { defineList } from "./worker-list.ts";

interface WorkerCommandOptions extends StoreOption {
  readonly slots: number;
  readonly labels?: readonly string[];
  readonly onlyConfigured?: boolean;
  readonly drain?: boolean;
}

export function define(program: Command, console: Console): void {
  const worker = program
    .command("worker")
    .description(summaryOf("worker"))
    .option("--slots <n>", "how many attempts it performs at once", readSlots, 1)
    .option("--labels <names>", "what this machine is, for steps that ask for it: `gpu,large`", readLabels)
    .option("--only-configured", "only executors of the configuration, and no program that a run names itself")
    .option("--drain", "end when no step is ready any more and its attempts have ended")
    .option("--trust", "run the commands of any repository's configuration without having agreed to them")
    .addHelpText("after", example("PAWL_STORE=postgres://pawl@db/pawl pawl worker --slots 4", "pawl worker --json"))
    .action(async (options: WorkerCommandOptions) => {
      // Its reader may go, and so may its terminal.
      console.isDriving = true;
      const app = applicationOf(options);
      try {
        await work(console, app, options);
      } finally {
        await app.close();
      }
    });
  defineList(worker, console);
}

function readSlots(text: string): number {
  const slots = Number(text);
  if (/^\d+$/.test(text) && slots >= 1 && slots <= 1_000) return slots;
  throw new InvalidArgumentError("It is not a number from 1 to 1000.");
}

function readLabels(text: string): readonly string[] {
  const labels = text.split(",").map((label) => label.trim());
  if (labels.every(isSafeId) && labels.length <= 20) return labels;
  throw new InvalidArgumentError(
    "Labels have letters, digits, dots, dashes and underscores, with commas between them.",
  );
}

function applicationOf({ store, trust, labels, onlyConfigured }: WorkerCommandOptions): Application {
  const executors = onlyConfigured === true ? withoutPrograms : undefined;
  return applicationHere(store, trust, { executors, labels, joins: true });
}

async function work(console: Console, app: Application, options: WorkerCommandOptions): Promise<void> {
  await assertGit(app);
  const worker = await Worker.start({
    app,
    slots: options.slots,
    untilIdle: options.drain,
    log: spokenLog(app, console),
  });
  const { config } = await app.open();
  for (const note of idleNames(app.executorsOf(config), config.worker.executors ?? [])) console.note(note);
  let isWanted = true;
  const stop = () => {
    if (!isWanted) process.exit(exitCodes.interrupted);
    isWanted = false;
    worker.stop();
  };
  const drain = () => worker.drain();
  const ignore = () => undefined;
  const handlers = { SIGINT: stop, SIGTERM: stop, SIGUSR2: drain, SIGHUP: ignore } as const;
  for (const [name, handler] of Object.entries(handlers)) process.on(name, handler);
  const document: WorkerStarted = { worker: worker.name, slots: options.slots };
  if (console.json) console.line(document);
  else console.say(`The worker is ready (process ${process.pid}, ${counted(options.slots, "slot")}). Ctrl-C stops it.`);
  await worker.ended;
  for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
  console.say("The worker has ended.");
}
