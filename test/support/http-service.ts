// The HTTP service in this process, on a free port of loopback, with an application and tokens of its own; a client that speaks JSON,
// and one that writes bytes.

import { connect } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createToken } from "../../src/application/access/tokens.ts";
import { Application, type ApplicationOptions } from "../../src/application/application.ts";
import type { Role } from "../../src/domain/api-token.ts";
import { fullProtection, type Protection } from "../../src/http/protection.ts";
import { type ApiServerOptions, startServer } from "../../src/http/server.ts";
import { patienceMs } from "./patience.ts";
import { tempDir } from "./repository.ts";

export interface Service {
  readonly app: Application;
  readonly url: string;
  readonly port: number;
  /** The secret of a token with this role. */
  token(role: Role): Promise<string>;
  close(): Promise<void>;
}

export function applicationIn(dir: string, more: Partial<ApplicationOptions> = {}): Application {
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: join(dir, "home") }, ...more });
  onTestFinished(async () => await app.close());
  return app;
}

export async function serve(
  given: Partial<ApiServerOptions> = {},
  protection: Partial<Protection> = {},
): Promise<Service> {
  const app = given.app ?? applicationIn(tempDir("pawl-http-"));
  const options = { host: "127.0.0.1", port: 0, ...given, app };
  const { url, close } = await startServer(options, { ...fullProtection, ...protection });
  onTestFinished(close);
  const secrets = new Map<Role, Promise<string>>();
  return {
    app,
    url,
    port: Number(new URL(url).port),
    token(role) {
      const known = secrets.get(role) ?? createToken(app, { role }).then(({ token }) => token);
      secrets.set(role, known);
      return known;
    },
    close,
  };
}

export interface RawAnswer {
  /** 0: the connection was closed without an answer. */
  readonly status: number;
  readonly text: string;
}

/** Writes a request as it is given, `\n` as line ends, and reads until the server closes, or an answer without more to come is there. */
export async function sendRaw(port: number, request: string): Promise<RawAnswer> {
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request.replaceAll(/\r?\n/g, "\r\n")));
    let read = "";
    socket.setEncoding("latin1").setTimeout(patienceMs, () => socket.destroy(new Error(`no answer to ${request}`)));
    socket.on("data", (chunk: string) => {
      read += chunk;
      if (isWhole(read)) socket.destroy();
    });
    socket.once("error", (error: Error & { code?: string }) =>
      error.code === "ECONNRESET" ? resolve(read) : reject(error),
    );
    socket.once("close", () => resolve(read));
  });
  return { status: Number(/^HTTP\/1\.\d (\d+)/.exec(text)?.[1] ?? 0), text };
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  return length !== undefined && text.length >= end + 4 + Number(length);
}
