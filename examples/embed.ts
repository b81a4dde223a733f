// Embeds Pawl in a script: starts a run, follows its events, answers its question, prints where it stands.
//
//   node embed.ts REPOSITORY
//
// The agent is a program, so that the example needs no model. With a real one: executor: "claude".

import { openPawl, PawlError } from "pawl";

const workflow = {
  pawl: 1,
  id: "greeting",
  agents: { writer: {} },
  steps: [
    { id: "write", agent: "writer", input: "{{task}}" },
    { id: "look", gate: "Is the greeting friendly?", options: { approve: "next", reject: "fail" } },
    { id: "check", command: "test -s GREETING.md" },
  ],
};
const agent = "command: sh -c 'echo Hello > GREETING.md && git add -A && git commit -qm Greet && echo STATUS: done'";

const pawl = await openPawl({ onNote: (note) => console.error(`note: ${note}`) });
try {
  const run = await pawl.start({ workflow, task: "Greet the reader", repo: process.argv[2] ?? ".", executor: agent });
  for await (const event of run.events()) {
    console.log(`${event.seq} ${event.type}`);
    if (event.type === "gate_opened") {
      console.log(`asked: ${event.gate.question}`);
      await run.answer(event.gate.id, "approve", { note: "Very friendly." });
    }
  }
  const { run: facts, steps } = await run.status();
  console.log(`run ${facts.number} is ${facts.status}, the work is on ${facts.branch}`);
  for (const step of steps) console.log(`  ${step.id}: ${step.status}`);
} catch (error) {
  if (!(error instanceof PawlError)) throw error;
  console.error(`${error.code}: ${error.message}\nhint: ${error.hint}`);
  process.exitCode = 1;
} finally {
  await pawl.close();
}
