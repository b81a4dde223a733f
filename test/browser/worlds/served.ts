// A home that is served: the real service in this process, with a token for the browser. `drives`: it drives open runs, as `pawl up`
// does; otherwise it only shows them, so that they stay as they are.

import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { inject, onTestFinished } from "vitest";
import { createToken } from "../../../src/application/access/tokens.ts";
import { Application } from "../../../src/application/application.ts";
import { startServer } from "../../../src/http/server.ts";
import { Service } from "../../../src/service/service.ts";

export interface ServeOptions {
  readonly drives?: boolean;
}

export interface ServedWorld {
  readonly home: string;
  readonly url: string;
  /** Of the role `operate`. */
  readonly token: string;
  /** The address that signs a browser in. */
  readonly signIn: string;
  readonly app: Application;
  /** Ends the service and what else the world started, and removes its files. A test calls it by itself when it ends. */
  close(): Promise<void>;
}

/** `home` is in a directory of its own, which is removed with it. `alsoEnds`: what runs beside the service. */
export async function serveHome(
  home: string,
  { drives = false }: ServeOptions,
  alsoEnds: () => Promise<void> = async () => undefined,
): Promise<ServedWorld> {
  const app = new Application({ cwd: home, env: { ...process.env, HOME: home, PAWL_HOME: home } });
  const log = () => undefined;
  const serve = async () => await startServer({ app, host: "127.0.0.1", port: 0, page: inject("page") });
  const { token } = await createToken(app, { role: "operate", name: "browser-of-a-test" });
  const { url, end } = drives ? await driving() : await showing();
  let closing: Promise<void> | null = null;
  const close = async () => {
    await end();
    await alsoEnds();
    await app.close();
    rmSync(dirname(home), { recursive: true, force: true });
  };
  const world = { home, url, token, signIn: `${url}/#token=${token}`, app, close: () => (closing ??= close()) };
  closeAfterTest(world);
  return world;

  async function showing() {
    const server = await serve();
    return { url: server.url, end: async () => await server.close() };
  }

  async function driving() {
    const service = await Service.start({ app, host: "127.0.0.1", port: 0, log, companions: [serve] });
    const stopped = async () => {
      service.stop();
      await service.ended;
    };
    return { url: service.url, end: stopped };
  }
}

function closeAfterTest({ close }: Pick<ServedWorld, "close">): void {
  try {
    onTestFinished(close);
  } catch {
    // Made in a hook: whoever made it closes it.
  }
}
