import { saidIn, stubAcp } from "../../../test/support/stub-acp.ts";
import { describeExecutor } from "../executor.contract.ts";

describeExecutor("acp", () => ({
  shell: (text) => stubAcp({ acts: [{ shell: text }] }),
  echo: () => stubAcp({ acts: [{ repeat: "prompt" }] }),
  absent: () => stubAcp({ acts: [] }, { command: ["no-such-program-anywhere"] }),
  decode: saidIn,
}));
