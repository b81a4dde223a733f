import { expect, test } from "vitest";
import { listen, transcripts } from "../../../test/support/transcripts.ts";
import { codexReader } from "./reader.ts";

const run = transcripts["codex"] ?? [];
const message = "You’ve hit your usage limit. Upgrade to Pro or try again in 2 hours.";
const failed = [run[0] ?? {}, { type: "error", message }, { type: "turn.failed", error: { message } }];

test("[EX20 EX21] a turn that failed is what its sentence says, and relative times count from when it was said", () => {
  const { reading, events } = listen(codexReader, failed, { code: 1 }, Date.UTC(2026, 0));
  expect(reading).toMatchObject({ ok: false, kind: "quota", resetsAt: Date.UTC(2026, 0, 1, 2), message });
  expect(events.map(({ type }) => type)).toEqual(["session", "error", "result"]);
});

test("[EX22] an error without the turn's end is still a reason, unless it was killed", () => {
  expect(listen(codexReader, failed.slice(0, 2), { code: 1 }).reading).toMatchObject({ ok: false, kind: "quota" });
  expect(listen(codexReader, failed.slice(0, 2), { signal: "SIGTERM" }).reading.kind).toBe("killed");
  expect(listen(codexReader, failed, { signal: "SIGTERM" }).reading.kind).toBe("quota");
  const odd = { type: "error", message: "something odd" };
  expect(listen(codexReader, [odd], { code: 1 }).reading).toMatchObject({
    kind: "no_result",
    message: expect.stringContaining("something odd"),
  });
});

test("[EX28] reconnecting is a retry and no error", () => {
  const text = "Reconnecting... 2/5 (stream disconnected before completion: error sending request)";
  const { reading, events } = listen(codexReader, [{ type: "error", message: text }, ...run]);
  expect(reading.ok).toBe(true);
  expect(events[0]).toEqual({ type: "retry", kind: "network", attempt: 2, waitMs: null, message: text });
});

test("[EX23] a call that was refused is a denial, and the turn may still be done", () => {
  const error = { message: "MCP tool call requires approval, but approval policy is never" };
  const call = { id: "i-9", type: "mcp_tool_call", server: "orch", tool: "complete", error, status: "failed" };
  const command = { id: "i-8", type: "command_execution", command: "rm -rf x", status: "declined" };
  const refused = [call, command].map((item) => ({ type: "item.completed", item }));
  const { reading, events } = listen(codexReader, [...refused, ...run]);
  expect(reading).toMatchObject({ ok: true, kind: null, denials: 2 });
  expect(events).toContainEqual({ type: "denied", id: "i-9", name: "orch.complete", message: error.message });
});

test("[EX18] a turn that was begun after the last is not done", () => {
  expect(listen(codexReader, [...run, { type: "turn.started" }]).reading).toMatchObject({
    ok: false,
    kind: "no_result",
  });
});
