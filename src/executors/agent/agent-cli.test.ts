import { describeAgent } from "../../../test/support/stub-agents.ts";
import { gemini } from "../gemini/gemini.ts";

describeAgent(gemini, {
  text: (content) => ({ type: "message", role: "assistant", content, delta: true }),
  end: { type: "result", status: "success" },
});
