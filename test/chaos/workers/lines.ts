// The network between each process of Pawl and what it needs of others: the server and, for guests, the repository. Where the campaign may
// make network namespaces, a process has one of its own, and a cut pulls its cable: packets vanish, and neither side is told. Elsewhere
// proxies pass nothing on.

import { execFileSync } from "node:child_process";
import { TcpProxy } from "../../support/tcp-proxy.ts";

export type Form = "namespaces" | "proxies";

/** How a line is cut: `silent`, neither side is told; `closed`, connections end and new ones are refused. */
export type Cut = "silent" | "closed";

/** The server, and git beside it. */
export interface Ports {
  readonly store: number;
  readonly git: number;
}

export interface Line {
  /** Where its process finds both. */
  readonly host: string;
  readonly ports: Ports;
  /** What to put before the words that start its process. */
  readonly prefix: readonly string[];
  cut(how: Cut): void;
  restore(): void;
}

export interface Network {
  readonly form: Form;
  readonly lines: readonly Line[];
  /** The server is at another port. */
  redirect(port: number): void;
  close(): void;
}

/** `name`: of this campaign, among others on this machine. */
export async function openNetwork(count: number, ports: Ports, name: string): Promise<Network> {
  const cables = canMakeNamespaces(name) ? makeCables(count, name) : null;
  const pairs = await Promise.all(
    Array.from({ length: count }, async (_, index) => await proxiesAt(ports, cables?.[index]?.host ?? loopback)),
  );
  const close = () => {
    for (const { store, git } of pairs) for (const proxy of [store, git]) proxy.close();
    for (const cable of cables ?? []) cable.remove();
  };
  return {
    form: cables === null ? "proxies" : "namespaces",
    lines: pairs.map((pair, index) => lineOf(pair, cables?.[index] ?? null)),
    redirect: (port) => {
      for (const { store } of pairs) store.redirect({ host: loopback, port });
    },
    close,
  };
}

const loopback = "127.0.0.1";

type Proxies = Readonly<Record<keyof Ports, TcpProxy>>;

async function proxiesAt(ports: Ports, host: string): Promise<Proxies> {
  const to = async (port: number) => await TcpProxy.to({ host: loopback, port }, host);
  return { store: await to(ports.store), git: await to(ports.git) };
}

function lineOf({ store, git }: Proxies, cable: Cable | null): Line {
  const both = [store, git];
  return {
    host: cable?.host ?? loopback,
    ports: { store: store.port, git: git.port },
    prefix: cable === null ? [] : ["ip", "netns", "exec", cable.namespace],
    cut: (how) => {
      if (how === "closed") for (const proxy of both) proxy.cut();
      else if (cable === null) for (const proxy of both) proxy.silence();
      else cable.pull();
    },
    restore: () => {
      cable?.plug();
      for (const proxy of both) proxy.restore();
    },
  };
}

/** A namespace and a pair of devices to it. */
interface Cable {
  readonly namespace: string;
  readonly host: string;
  pull(): void;
  plug(): void;
  remove(): void;
}

function canMakeNamespaces(name: string): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    ip(`netns add ${name}`);
    try {
      ip(`link add ${name}a type veth peer name ${name}b netns ${name}`);
    } finally {
      ip(`netns del ${name}`);
    }
    return true;
  } catch {
    return false;
  }
}

function makeCables(count: number, name: string): readonly Cable[] {
  const cables: Cable[] = [];
  // Also when the campaign is interrupted.
  process.once("exit", () => {
    for (const cable of cables) cable.remove();
  });
  // Of the addresses for measurements between networks (RFC 2544), a part that no other campaign of this machine is likely to have.
  const subnet = (process.pid % 500) * 128;
  for (let index = 0; index < count; index += 1) cables.push(makeCable(`${name}${index}`, subnet + 4 * index));
  return cables;
}

function makeCable(name: string, offset: number): Cable {
  const address = (last: number) => `198.${18 + (offset >> 16)}.${(offset >> 8) & 255}.${(offset & 255) + last}`;
  ip(`netns add ${name}`);
  ip(`link add ${name}a type veth peer name ${name}b netns ${name}`);
  ip(`address add ${address(1)}/30 dev ${name}a`);
  ip(`link set ${name}a up`);
  ip(`-n ${name} address add ${address(2)}/30 dev ${name}b`);
  ip(`-n ${name} link set ${name}b up`);
  // The tools of an attempt are served there.
  ip(`-n ${name} link set lo up`);
  let isThere = true;
  return {
    namespace: name,
    host: address(1),
    pull: () => ip(`link set ${name}a down`),
    plug: () => ip(`link set ${name}a up`),
    remove: () => {
      if (!isThere) return;
      isThere = false;
      ip(`link del ${name}a`);
      ip(`netns del ${name}`);
    },
  };
}

function ip(words: string): void {
  execFileSync("ip", words.split(" "), { stdio: ["ignore", "ignore", "pipe"] });
}
