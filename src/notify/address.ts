// Addresses. Owns: which of them belong to the public internet. A webhook that may reach others is a way into networks that
// only this machine sees: cloud metadata, a router, a database without a password.

import type { BlockList } from "node:net";

/** False also for text that is not an address. */
export function isPublicAddress(address: string): boolean {
  const [plain = ""] = address.split("%", 1);
  if (net().isIPv4(plain)) return !special().v4.check(plain);
  if (!net().isIPv6(plain)) return false;
  const groups = groupsOf(plain);
  const inner = innerV4(groups);
  if (inner !== null) return !special().v4.check(inner);
  // Nothing outside 2000::/3 has been assigned.
  return ((groups[0] ?? 0) & 0xe000) === 0x2000 && !special().v6.check(plain, "ipv6");
}

/** Not public, without a look-up; null when the name must be resolved first, or is public. */
export function privateHostOf(url: URL): string | null {
  const host = hostOf(url);
  if (net().isIP(host) !== 0) return isPublicAddress(host) ? null : host;
  const name = host.replace(/\.$/, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") ? host : null;
}

/** Without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Loaded when an address is looked at: it costs milliseconds, and a command that only looks at a run sends nothing. */
const net = () => process.getBuiltinModule("node:net");

const specialV4 = [
  ["0.0.0.0", 8], // this network; Linux takes 0.0.0.0 for itself
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // shared by carriers, and by some clouds for metadata
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, and cloud metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // relays to IPv6
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
] as const;

const specialV6 = [
  ["2001::", 23], // protocol assignments; Teredo hides an IPv4 address in it
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4 hides an IPv4 address in it
  ["3fff::", 20], // documentation
] as const;

interface Special {
  readonly v4: BlockList;
  readonly v6: BlockList;
}

let lists: Special | null = null;

function special(): Special {
  if (lists !== null) return lists;
  const { BlockList } = net();
  lists = { v4: new BlockList(), v6: new BlockList() };
  for (const [network, prefix] of specialV4) lists.v4.addSubnet(network, prefix, "ipv4");
  for (const [network, prefix] of specialV6) lists.v6.addSubnet(network, prefix, "ipv6");
  return lists;
}

/** The IPv4 address inside ::ffff:a.b.c.d (mapped) or 64:ff9b::a.b.c.d (translated by the network). */
function innerV4(groups: readonly number[]): string | null {
  const [a, b, c, d, e, f, high = 0, low = 0] = groups;
  const middleIsZero = c === 0 && d === 0 && e === 0;
  const isMapped = a === 0 && b === 0 && middleIsZero && f === 0xffff;
  const isTranslated = a === 0x64 && b === 0xff9b && middleIsZero && f === 0;
  return isMapped || isTranslated ? [high >> 8, high & 255, low >> 8, low & 255].join(".") : null;
}

/** Eight numbers, however it was written. */
function groupsOf(address: string): readonly number[] {
  // The URL parser writes every spelling in one way: hexadecimal, at most one `::`.
  const [head = "", tail] = hostOf(new URL(`http://[${address}]/`)).split("::");
  const numbers = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const before = numbers(head);
  if (tail === undefined) return before;
  const after = numbers(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
