// Regular files. Owns: opening one and nothing else: a pipe would block Pawl, a device never ends, and a link may lead anywhere.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { AppError, systemCode } from "../../domain/error.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Nothing that Pawl reads at once is larger. */
const largestText = 64 * 1024 * 1024;

/** `refuse` is for folders that an agent can write; `follow` for what a user names. */
type Links = "refuse" | "follow";

export interface OpenOptions {
  readonly flags?: number;
  readonly mode?: number;
  readonly links?: Links;
  /** What errors call the file. Default: its path. */
  readonly name?: string;
}

/** The descriptor of a regular file. Anything else is refused, and never waited for. */
export function openRegular(path: string, options: OpenOptions = {}): number {
  return opened(path, options).handle;
}

function opened(path: string, options: OpenOptions): { readonly handle: number; readonly size: number } {
  const { flags = O_RDONLY, mode = 0o666, links = "refuse" } = options;
  let handle: number;
  try {
    handle = openSync(path, flags | O_NONBLOCK | (links === "refuse" ? O_NOFOLLOW : 0), mode);
  } catch (error) {
    const what = notRegular[systemCode(error) ?? ""];
    throw what === undefined ? error : refusal(options, path, what, error);
  }
  const found = fstatSync(handle);
  if (found.isFile()) return { handle, size: found.size };
  closeSync(handle);
  throw refusal(options, path, found.isDirectory() ? "is a directory" : "is not a regular file");
}

/** What `open` itself answers: a link that is not followed, a pipe without a reader, a directory, a device that is not there. */
const notRegular: Readonly<Record<string, string>> = {
  ELOOP: "is a link, which Pawl does not follow there",
  EMLINK: "is a link, which Pawl does not follow there",
  ENXIO: "is not a regular file",
  ENODEV: "is not a regular file",
  EISDIR: "is a directory",
};

type ReadOptions = OpenOptions & { readonly atMost?: number };

/** The whole text of a regular file. */
export function readRegular(path: string, options: ReadOptions = {}): string {
  return readRegularBytes(path, options).toString("utf8");
}

export function readRegularBytes(path: string, options: ReadOptions = {}): Buffer {
  const { atMost = largestText, name = path } = options;
  const { handle, size } = opened(path, options);
  try {
    if (size > atMost) throw tooLarge(name, atMost);
    const pieces: Buffer[] = [];
    // The size is a hint: the file may grow, and those of /proc have none.
    for (let read = 0; ; ) {
      const piece = Buffer.allocUnsafe(Math.max(4_096, size - read + 1));
      const length = readSync(handle, piece, 0, piece.length, null);
      // A file that has a size ends where less is read than was asked for.
      if (pieces.length === 0 && length === size && size > 0) return piece.subarray(0, length);
      if (length === 0) return Buffer.concat(pieces);
      read += length;
      if (read > atMost) throw tooLarge(name, atMost);
      pieces.push(piece.subarray(0, length));
    }
  } finally {
    closeSync(handle);
  }
}

/** What a user names is the user's, or the system's: nothing there is to be removed. */
function refusal({ name, links }: OpenOptions, path: string, what: string, cause?: unknown): AppError {
  const file = name ?? path;
  const replaced = `put a regular file in the place of ${basename(file)}, or remove it`;
  return new AppError("REFUSED", `${file} ${what}`, {
    hint: links === "follow" ? "name a regular file" : replaced,
    ...(cause === undefined ? {} : { cause }),
  });
}

function tooLarge(name: string, atMost: number): AppError {
  return new AppError("INPUT_INVALID", `${name} is larger than ${Math.floor(atMost / 1024 / 1024)} MiB`, {
    hint: "name a smaller file",
  });
}
