// Pawl as a library: `import { openPawl } from "pawl"`. Everything that a program may use is exported here.

export type { AttemptCost, CostDocument } from "./contracts/cost-documents.ts";
export type { EventDocument } from "./contracts/events.ts";
export type {
  AnswerDocument,
  DroppedDocument,
  GateDocument,
  NoteDocument,
  OpenGate,
  RunDocument,
  SentSignal,
  StatusDocument,
  StepDocument,
  StoppedAttempt,
  StoryDocument,
} from "./contracts/run-documents.ts";
export type { WorkflowProblem } from "./contracts/workflow-documents.ts";
export { AppError as PawlError, type ErrorCode } from "./domain/error.ts";
export type {
  AgentAnswer,
  AgentCall,
  AnswerMore,
  DropMore,
  ExecutorFunction,
  ExecutorObject,
  FollowEvents,
  Pawl,
  PawlOptions,
  PawlRun,
  RunStart,
  WorkflowObject,
} from "./library/api.ts";
export { openPawl } from "./library/open-pawl.ts";
export {
  type DispatchResult,
  type ExecutorHandle,
  type OrchestratorAdapter,
  type PersonIntent,
  type ProjectState,
  parseIntent,
} from "./library/project-adapter.ts";
export { WorkflowError } from "./runtime/runs/workflow-error.ts";
