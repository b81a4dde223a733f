// Loaded into a process before anything else (`node --import`): writes down which files it looks at, which programs it starts and which
// hosts it talks to, one JSON line each, into the file that PAWL_SPY names. `looks` asks for the existence of a file, `reads` for its text.

import childProcess from "node:child_process";
import dgram from "node:dgram";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { fileURLToPath } from "node:url";

export interface Access {
  readonly kind: "reads" | "writes" | "looks" | "lists" | "starts" | "connects";
  readonly what: string;
}

const log = process.env["PAWL_SPY"];
const out = log === undefined ? null : fs.openSync(log, "a");
const { readlinkSync, writeSync } = fs;

function note(kind: Access["kind"], what: unknown): void {
  const given = what instanceof URL && what.protocol === "file:" ? fileURLToPath(what) : String(what);
  const path = given.replace(/^\/proc\/(?:self|\d+)\/fd\/\d+/, (open) => folderOf(open));
  if (out !== null) writeSync(out, `${JSON.stringify({ kind, what: path })}\n`);
}

/** A folder that is open, by the name that it has now. */
function folderOf(open: string): string {
  try {
    return readlinkSync(open);
  } catch {
    return open;
  }
}

type Callable = (...args: readonly unknown[]) => unknown;
type Holder = Record<string, unknown>;

function watch(holder: object, names: readonly string[], say: (args: readonly unknown[]) => void): void {
  for (const name of names) {
    const original = (holder as Holder)[name] as Callable | undefined;
    if (typeof original !== "function") continue;
    const watched = function (this: unknown, ...args: readonly unknown[]): unknown {
      say(args);
      return Reflect.apply(original, this, args);
    };
    Object.assign(holder, { [name]: Object.assign(watched, original) });
  }
}

const both = (names: readonly string[]) => names.flatMap((name) => [name, `${name}Sync`]);
const isWriting = (flags: unknown) =>
  typeof flags === "string" ? /[wa]|r\+/.test(flags) : typeof flags === "number" && (flags & 3) !== 0;

if (out !== null) {
  for (const holder of [fs, fs.promises]) {
    watch(holder, both(["open"]), ([path, flags]) => note(isWriting(flags) ? "writes" : "reads", path));
    watch(holder, [...both(["readFile", "copyFile"]), "createReadStream"], ([path]) => {
      if (typeof path !== "number") note("reads", path);
    });
    watch(holder, both(["writeFile", "appendFile", "truncate"]), ([path]) => {
      if (typeof path !== "number") note("writes", path);
    });
    watch(holder, both(["stat", "lstat", "access", "exists", "realpath", "readlink"]), ([path]) => note("looks", path));
    watch(holder, [...both(["readdir", "opendir", "glob"])], ([path]) => note("lists", path));
  }
  watch(childProcess, ["spawn", "spawnSync", "execFile", "execFileSync", "fork"], ([program, args]) =>
    note("starts", [program, ...(Array.isArray(args) ? args : [])].join(" ")),
  );
  watch(childProcess, ["exec", "execSync"], ([command]) => note("starts", command));
  watch(net.Socket.prototype, ["connect"], (args) => note("connects", JSON.stringify(args)));
  watch(dgram.Socket.prototype, ["send", "connect"], (args) => note("connects", JSON.stringify(args.slice(1))));
  syncBuiltinESMExports();
}
