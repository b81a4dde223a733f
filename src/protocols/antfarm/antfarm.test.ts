import { describeProtocol } from "../protocol.contract.ts";
import { antfarm } from "./antfarm.ts";

describeProtocol(
  antfarm,
  `
id: small
agents: [{ id: dev, workspace: { baseDir: agents/dev, files: {} } }]
steps: [{ id: a, agent: dev, input: "{{task}}", expects: "STATUS: done" }]
`,
);
