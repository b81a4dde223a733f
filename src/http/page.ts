// The page: serves the files that the build has made, and no other. Owns: the fixed map from paths to files (`files.json`). A path of a
// request is looked up in it and never becomes the name of a file.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ProblemDocument } from "../contracts/http-documents.ts";
import { errorText } from "../domain/error.ts";
import { type ApiParts, problemResponse } from "./api.ts";
import { noticePage, pageHeaders } from "./links/page.ts";
import { isPageAddress } from "./page-address.ts";
import { nothingHere, problem } from "./problem.ts";

/** Answers a GET of a path. `accept`: the header of the request, by which a browser is told from a program. */
export type Page = (path: string, accept?: string) => Promise<Response>;

interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

const filesSchema = z.record(
  z.string().startsWith("/"),
  z.strictObject({ file: z.string().regex(/^\w[\w-]*(?:[./]\w[\w-]*)*$/), type: z.string().min(1) }),
);

const notBuilt = problem(404, "NOT_FOUND", "the page is not built", "in a clone: `npm run build`, then load it again");

/** The name of such a file says what is in it. */
const hashed = "/assets/";

/**
 * The files are read at the first request and kept: a package that is replaced under a service cannot mix the page of one version with the
 * API of another. A page that is built later is found.
 */
export function openPage(folder: string | null, log: ApiParts["log"]): Page {
  let opened: Promise<ReadonlyMap<string, PageFile> | null> | null = null;
  const files = async (): Promise<ReadonlyMap<string, PageFile> | null> => {
    opened ??= folder === null ? Promise.resolve(null) : readFiles(folder, log);
    const found = await opened;
    if (found === null) opened = null;
    return found;
  };
  return async (path, accept) => {
    const isAddress = isPageAddress(path);
    const found = await files();
    if (found === null) return refused(isAddress ? notBuilt : nothingHere, accept);
    const file = found.get(isAddress ? "/" : path);
    return file === undefined ? refused(nothingHere, accept) : new Response(file.body, { headers: file.headers });
  };
}

/** A person gets words and a way home, a program the problem. */
function refused(problem: ProblemDocument, accept = ""): Response {
  const isPerson = accept.split(",").some((type) => type.trim().startsWith("text/html"));
  if (!isPerson) return problemResponse(problem);
  const page =
    problem === notBuilt
      ? noticePage("The page is not built", `${problem.hint}.`)
      : noticePage("There is nothing at this address", "It may be mistyped, or what it showed is gone.", "To the runs");
  return new Response(page, { status: problem.status, headers: pageHeaders });
}

async function readFiles(folder: string, log: ApiParts["log"]): Promise<ReadonlyMap<string, PageFile> | null> {
  try {
    const map = filesSchema.parse(JSON.parse(await readFile(join(folder, "files.json"), "utf8")));
    const read = Object.entries(map).map(async ([path, { file, type }]) => {
      const body = new Uint8Array(await readFile(join(folder, file)));
      const kept = path.startsWith(hashed) ? "public, max-age=31536000, immutable" : "no-store";
      const headers = { "content-type": type, "content-length": String(body.length), "cache-control": kept };
      return [path, { body, headers }] as const;
    });
    return new Map(await Promise.all(read));
  } catch (error) {
    log("page.not_read", { why: errorText(error) });
    return null;
  }
}
