import { speaking, spokenIn, stubAgent } from "../../../test/support/stub-agents.ts";
import { describeExecutor } from "../executor.contract.ts";
import { gemini } from "../gemini/gemini.ts";

describeExecutor("agent-cli", () => ({
  shell: (text) => stubAgent(gemini, speaking(text)),
  echo: () => stubAgent(gemini, speaking("cat")),
  absent: () => stubAgent(gemini, "", { program: "no-such-program-anywhere" }),
  decode: spokenIn,
}));
