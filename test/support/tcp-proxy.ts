// A proxy between a program and a server, for tests of what is lost on the way.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export interface Target {
  readonly host: string;
  readonly port: number;
}

export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #target: Target;
  #isCut = false;
  #isSilent = false;
  #refused = 0;
  #loses: { readonly words: string; readonly what: "request" | "answer" | "all" } | null = null;

  private constructor(target: Target) {
    this.#target = target;
    this.#server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client));
  }

  /** `host`: where it listens. */
  static async to(target: Target, host = "127.0.0.1"): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, host);
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections came while it was cut. */
  get refused(): number {
    return this.#refused;
  }

  /** New connections go there. */
  redirect(target: Target): void {
    this.#target = target;
  }

  /** Ends all connections, and every new one, until `restore`. */
  cut(): void {
    this.#isCut = true;
    for (const pair of this.#pairs) end(pair);
  }

  /** Passes nothing on and ends nothing, until `restore`: neither side notices. */
  silence(): void {
    this.#isSilent = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  restore(): void {
    this.#isCut = false;
    this.#isSilent = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  /** Ends the connection on which the client next says these words: before the server gets them, or before the client gets the answer. */
  loseNext(words: string, what: "request" | "answer"): void {
    this.#loses = { words, what };
  }

  /** Cuts everything when a client next says these words, before the server gets them. */
  cutBefore(words: string): void {
    this.#loses = { words, what: "all" };
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #accept(client: Socket): void {
    client.on("error", () => undefined);
    if (this.#isCut) {
      this.#refused += 1;
      client.destroy();
      return;
    }
    // Paused, as the client is, so that a connection that comes while all is silent is silent, too.
    const server = connect(this.#target).pause();
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    server.on("error", () => end(pair));
    for (const socket of pair) {
      socket.on("close", () => {
        end(pair);
        this.#pairs.delete(pair);
      });
    }
    let losesAnswer = false;
    client.on("data", (data) => {
      const lost = this.#loses !== null && data.includes(this.#loses.words) ? this.#loses.what : null;
      if (lost !== null) this.#loses = null;
      if (lost === "all") return this.cut();
      if (lost === "request") return end(pair);
      losesAnswer ||= lost === "answer";
      server.write(data);
    });
    server.on("data", (data) => (losesAnswer ? end(pair) : client.write(data)));
    if (!this.#isSilent) for (const socket of pair) socket.resume();
  }
}

function end(pair: readonly [Socket, Socket]): void {
  for (const socket of pair) socket.destroy();
}
