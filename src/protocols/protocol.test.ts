import { expect, test } from "vitest";
import { toy, toyWorkflow } from "../../test/support/toy-protocol.ts";
import { describeProtocol } from "./protocol.contract.ts";
import { Protocols } from "./registry.ts";

describeProtocol(toy, toyWorkflow);

test("[PO1] protocols are looked up by name, and each name is unique", () => {
  const protocols = new Protocols([toy]);
  expect(protocols.of({ protocol: "toy" }).name).toBe("toy");
  expect(protocols.of({ protocol: null }).name).toBe("");
  expect(() => new Protocols([toy, { name: "toy" }])).toThrow("two protocols have the name toy");
});

test("[PO2] an unknown name is refused with the known ones, also by each function", () => {
  const protocols = new Protocols([toy]);
  const unknown = { code: "PROTOCOL_MISSING", message: 'there is no protocol "tyo"', hint: "this Pawl has: toy" };
  expect(() => protocols.assertKnown({ protocol: "tyo" })).toThrow(expect.objectContaining(unknown));
  expect(() => protocols.of({ protocol: "tyo" }).storiesFor("x")).toThrow(expect.objectContaining(unknown));
});
