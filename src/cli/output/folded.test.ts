import { expect, test } from "vitest";
import type { StepDocument } from "../../contracts/run-documents.ts";
import { foldSteps } from "./folded.ts";

const step = (id: string, status: StepDocument["status"], include?: string): StepDocument => ({
  id,
  kind: "agent",
  name: id,
  status,
  attempts: 1,
  notes: [],
  ...(include === undefined ? {} : { include }),
});

test("[IN8] an included workflow is one line, with how far it is and where", () => {
  const steps = [
    step("build", "done"),
    step("audit.a", "done", "audit"),
    step("audit.b", "skipped", "audit"),
    step("audit.c", "running", "audit"),
    step("audit.d", "waiting", "audit"),
    step("again.a", "waiting", "again"),
    step("ship", "waiting"),
    step("none.a", "skipped", "none"),
  ];
  expect(foldSteps(steps).map(({ id, status, progress }) => [id, status, progress].join(" ").trim())).toEqual([
    "build done",
    "audit running 2/4 at c",
    "again waiting 0/1",
    "ship waiting",
    "none skipped",
  ]);
});
