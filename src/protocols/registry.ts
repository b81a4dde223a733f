// The protocols that this Pawl has, by name. app.ts fills it; `protocol: NAME` of a workflow is looked up here.

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
  /** What workflow files are checked against. */
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

  /** The functions of a name that is not known throw. */
  of({ protocol }: Pick<Definition, "protocol">): CompleteProtocol {
    if (protocol === null) return noProtocol;
    return this.#byName.get(protocol) ?? missingProtocol(protocol, this.names);
  }

  /** Before work that would fail again and again. */
  assertKnown({ protocol }: Pick<Definition, "protocol">): void {
    if (protocol !== null && !this.#byName.has(protocol)) throw unknownProtocol(protocol, this.names);
  }
}
