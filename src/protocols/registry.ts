// The registry of protocols by name. app.ts fills it; the `protocol: NAME` of a workflow is looked up here.

import type { Definition } from "../domain/definition.ts";
import type { ProtocolFacts } from "../domain/protocol.ts";
import {
  type CompleteProtocol,
  factsOf,
  missingProtocol,
  noProtocol,
  unknownProtocol,
  withDefaults,
} from "./complete-protocol.ts";
import type { Protocol } from "./protocol.ts";

export class Protocols {
  readonly #byName: ReadonlyMap<string, CompleteProtocol>;
  /** The facts that workflow files are checked against. */
  readonly facts: readonly ProtocolFacts[];

  constructor(protocols: readonly Protocol[]) {
    const all = protocols.map(withDefaults);
    this.#byName = new Map(all.map((protocol) => [protocol.name, protocol]));
    const names = all.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) throw new Error(`two protocols have the name ${twice}`);
    this.facts = all.map(factsOf);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** An unknown name returns a protocol whose functions throw. */
  of({ protocol }: Pick<Definition, "protocol">): CompleteProtocol {
    if (protocol === null) return noProtocol;
    return this.#byName.get(protocol) ?? missingProtocol(protocol, this.names);
  }

  /** Throws for an unknown protocol, before work that would only fail. */
  assertKnown({ protocol }: Pick<Definition, "protocol">): void {
    if (protocol !== null && !this.#byName.has(protocol)) throw unknownProtocol(protocol, this.names);
  }
}
