import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../../test/support/repository.ts";
import { projectFolder } from "../standing/project-folder.ts";
import { findSessions, readSession } from "./imported-session.ts";
import { makeSessionFolder } from "./session-folder.ts";

const session = (fields: Readonly<Record<string, unknown>>) =>
  readSession(JSON.stringify({ intent: "a shop", ...fields }));

describe("a session of another program", () => {
  test("[LS15] is read for its intent, phase, milestone and mode", () => {
    expect(session({ session_id: "ralph-1", phase: 2, milestone: "M1", auto_mode: true, status: "paused" })).toEqual({
      kind: "session",
      id: "ralph-1",
      intent: "a shop",
      phase: "2",
      milestone: "M1",
      autoMode: true,
      status: "paused",
      isOver: false,
      at: null,
      notes: [],
    });
    expect(session({ orchestration: { auto_mode: true, chain: [] } })).toMatchObject({ autoMode: true, phase: null });
    expect(readSession('{"intent_identity": {"verbatim": "a shop"}}')).toMatchObject({ intent: "a shop" });
  });

  test("[LS15] what it says about itself and cannot be right is a note", () => {
    const steps = [{ status: "pending" }, { status: "pending" }, { status: "completed" }];
    expect(session({ status: "completed", steps })).toMatchObject({
      notes: ["it says completed, and 2 of its 3 steps are not: where it stands was read from the project"],
    });
    expect(session({ status: "running", steps, current_step: 9 })).toMatchObject({
      notes: ["its current step 9 is none of its 3 steps"],
    });
    expect(session({ phase: "../../x", milestone: {} })).toMatchObject({
      phase: null,
      milestone: null,
      notes: ['its phase "../../x" is no id and was left out', "its milestone {} is no id and was left out"],
    });
  });

  test.each([
    ["", "it is empty"],
    ["[]", "it is not an object"],
    ["{}", "it names no intent"],
    ['{"intent": 3}', "it names no intent"],
    ['{"intent": "a"', "not valid JSON"],
  ])("[LS15] %j is no session, and that is said", (text, why) => {
    expect(readSession(text)).toMatchObject({ kind: "unreadable", why: expect.stringContaining(why) });
  });

  test("[LS15] no text and no document is a crash, and nothing becomes a part of a path", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((text) => `{"intent":"a","phase":${text}}`),
        ),
        (text) => {
          const read = readSession(text);
          const ids = read.kind === "session" ? [read.phase, read.milestone] : [];
          expect(ids.join("")).not.toMatch(/\//);
        },
      ),
      { numRuns: 3_000 },
    );
    const value = fc.jsonValue({ maxDepth: 3 });
    const fields = fc.record(
      {
        intent: fc.oneof(fc.string(), value),
        status: fc.oneof(fc.constant("completed"), value),
        steps: fc.oneof(fc.array(value), value),
        orchestration: value,
        current_step: fc.oneof(fc.integer(), value),
        updated_at: fc.oneof(fc.string(), value),
        milestone: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (document) => {
        readSession(JSON.stringify(document));
      }),
      { numRuns: 3_000 },
    );
  });

  test("[LS16] they are found in all places, the newest first, without those of a run", () => {
    const root = tempDir("pawl-sessions-");
    const write = (file: string, content: unknown) => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), typeof content === "string" ? content : JSON.stringify(content));
    };
    write(".workflow/.ralph/ralph-20260506-131226/status.json", { intent: "old" });
    write(".workflow/.ralph/ralph-20260507-131226/status.json", { intent: "ours" });
    write(".workflow/.maestro/maestro-20260508-131226/status.json", { intent: "new" });
    write(".workflow/sessions/a/session.json", { intent: "oldest", updated_at: "2026-05-01T00:00:00Z" });
    write(".workflow/.ralph/broken/status.json", "{");
    const found = findSessions(projectFolder(root), (dir) => dir.includes("20260507"));
    expect(found.map(({ session: each }) => (each.kind === "session" ? each.intent : each.kind))).toEqual([
      "new",
      "old",
      "oldest",
      "unreadable",
    ]);
  });
});

test("[LS17 E7] two sessions that begin in one second have folders of their own", () => {
  const root = tempDir("pawl-sessions-");
  const now = new Date(2026, 4, 6, 13, 12, 26);
  const made = [1, 2, 3].map(() => makeSessionFolder(root, now));
  expect(made.map(({ id }) => id)).toEqual([
    "ralph-20260506-131226",
    "ralph-20260506-131226-2",
    "ralph-20260506-131226-3",
  ]);
  expect(readdirSync(join(root, ".workflow/.ralph"))).toHaveLength(3);
});

const samples = fileURLToPath(new URL("../../../../../shared/samples/maestro-flow", import.meta.url));
const real = ["ralph-status", "maestro-status", "session-run-v1", "decisions"].flatMap((kind) => {
  const dir = join(samples, kind);
  return existsSync(dir) ? readdirSync(dir).map((file) => ({ kind, path: join(dir, file) })) : [];
});

test.skipIf(real.length === 0)("[LS15] every real session is read, of every generation (../shared/samples)", () => {
  const read = real.map(({ kind, path }) => ({ kind, path, session: readSession(readFileSync(path, "utf8")) }));
  const isSession = (path: string) => /(?:status|session)\.json$/.test(path);
  for (const { path, session: each } of read) expect([path, each.kind === "session"]).toEqual([path, isSession(path)]);
  const contradicted = read.filter(({ session: each }) => each.kind === "session" && each.notes.length > 0);
  expect(contradicted.length).toBeGreaterThan(0);
  const phases = read.flatMap(({ session: each }) =>
    each.kind === "session" && each.phase !== null ? [each.phase] : [],
  );
  expect(new Set(phases)).toEqual(new Set(["1", "2"]));
});
