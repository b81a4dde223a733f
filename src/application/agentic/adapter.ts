// The adapter of the protocol, for programs that use Pawl as a library.

export type {
  DispatchResult,
  ExecutorHandle,
  OrchestratorAdapter,
  ProjectState,
} from "../../protocols/agentic/adapter.ts";
export { type PersonIntent, parseIntent } from "../../protocols/agentic/intent.ts";
