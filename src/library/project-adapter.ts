// What a program needs that stands between people and a project: the interface of an adapter, and the rules for messages.

export {
  type DispatchResult,
  type ExecutorHandle,
  type OrchestratorAdapter,
  type PersonIntent,
  type ProjectState,
  parseIntent,
} from "../application/agentic/adapter.ts";
