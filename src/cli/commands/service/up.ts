// `pawl up`. Owns: the service as a process: its options, its signals, what it says when it is ready, and what follows it.

import { type Command, InvalidArgumentError } from "commander";
import type { Application } from "../../../application/application.ts";
import { AppError, exitCodes } from "../../../domain/error.ts";
import { type FirstWords, spawnService, startInBackground, usualAddress } from "../../../service/background.ts";
import { installService, restartCode } from "../../../service/install.ts";
import { Service } from "../../../service/service.ts";
import { replaceOlder, type Successor, successorOf } from "../../../service/upgrade.ts";
import { summaryOf } from "../../catalogue.ts";
import { applicationHere, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { spokenLog } from "../../output/spoken-log.ts";

interface UpOptions {
  readonly host: string;
  readonly port: number;
  readonly background?: boolean;
  readonly install?: boolean;
  readonly store?: string;
}

export function define(program: Command, console: Console): void {
  program
    .command("up")
    .description(summaryOf("up"))
    .option("--host <address>", "the address to listen on", usualAddress.host)
    .option("--port <n>", "the port; 0 takes a free one", readPort, usualAddress.port)
    .option("--background", "return when it is ready; it lives on without this terminal")
    .option("--install", "write the file with which systemd or launchd starts it at login")
    .addHelpText("after", example("pawl up --background", "pawl up --port 0 --json"))
    .action(async (options: UpOptions) => {
      if (options.install) return await withApplication(options, async (app) => install(console, app, options));
      if (options.background) return await withApplication(options, async (app) => background(console, app, options));
      await serve(console, options);
    });
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("It is not a port from 0 to 65535.");
}

function install(console: Console, app: Application, options: UpOptions): void {
  const document = installService(app, options);
  if (console.json) return console.document(document);
  console.print(document.file);
  console.say(`Written. Next:\n${document.commands.map((command) => `  ${command}`).join("\n")}`);
}

async function background(console: Console, app: Application, options: UpOptions): Promise<void> {
  note(console, replaceOlder(app));
  const { log, ...document } = await startInBackground(app, options);
  if (console.json) return console.line(document);
  console.say(`The service runs at ${document.url} (process ${document.pid}); its log is ${log}.`);
}

async function serve(console: Console, options: UpOptions): Promise<void> {
  // Its reader may go, and so may its terminal.
  console.isDriving = true;
  const app = applicationHere(options.store);
  let successor: Successor | null = null;
  try {
    successor = await whileServing(console, app, options);
  } finally {
    await app.close();
  }
  if (successor === null) return;
  if (process.env["PAWL_SUPERVISOR"]) console.exitCode = restartCode;
  else spawnService(app, successor.node, successor.program, options, "ignore").child.unref();
}

/** Resolves when the service has ended, to what should run instead. */
async function whileServing(console: Console, app: Application, options: UpOptions): Promise<Successor | null> {
  const signals = new Signals();
  try {
    const service = await start(console, app, options);
    signals.obey(service);
    const document = { url: service.url, pid: process.pid };
    if (console.json) console.line(document);
    else console.say(`The service runs at ${service.url} (process ${process.pid}). Ctrl-C or \`pawl down\` stops it.`);
    tellStarter({ ready: document });
    const end = await service.ended;
    console.say(end === "restart" ? "The service makes room for a newer version." : "The service has ended.");
    return end === "restart" ? successorOf(app) : null;
  } finally {
    signals.close();
  }
}

async function start(console: Console, app: Application, { host, port }: UpOptions): Promise<Service> {
  try {
    note(console, replaceOlder(app));
    return await Service.start({
      app,
      host,
      port,
      log: spokenLog(app, console),
      supervisor: process.env["PAWL_SUPERVISOR"] ?? null,
    });
  } catch (error) {
    if (error instanceof AppError) {
      const { code, message, hint } = error;
      tellStarter({ failed: { code, message, hint } });
    }
    throw error;
  }
}

function note(console: Console, text: string | null): void {
  if (text !== null) console.note(text);
}

/** The process that started it with `--background` waits for this. */
function tellStarter(words: FirstWords): void {
  if (process.send === undefined) return;
  process.send(words, () => {
    if (process.connected) process.disconnect();
  });
}

/** The first SIGINT or SIGTERM ends the service in order, the second at once. A terminal that closes ends nothing. */
class Signals {
  #service: Service | null = null;
  #isWanted = true;
  readonly #stop = () => {
    if (!this.#isWanted) process.exit(exitCodes.interrupted);
    this.#isWanted = false;
    this.#service?.stop();
  };
  readonly #restart = () => this.#service?.restart();
  readonly #ignore = () => undefined;

  constructor() {
    process.on("SIGINT", this.#stop);
    process.on("SIGTERM", this.#stop);
    process.on("SIGUSR2", this.#restart);
    process.on("SIGHUP", this.#ignore);
  }

  obey(service: Service): void {
    this.#service = service;
    // It was told to end while it started.
    if (!this.#isWanted) service.stop();
  }

  close(): void {
    process.off("SIGINT", this.#stop);
    process.off("SIGTERM", this.#stop);
    process.off("SIGUSR2", this.#restart);
    process.off("SIGHUP", this.#ignore);
  }
}
