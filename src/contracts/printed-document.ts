// Every document that a command prints with `--json`, as one type: the console takes nothing else.

import type { CostDocument, CostList } from "./cost-documents.ts";
import type { ErrorDocument } from "./error-document.ts";
import type {
  DoctorDocument,
  ExecutorList,
  ExecutorReading,
  ExecutorTest,
  InitDocument,
  SchemaList,
} from "./machine-documents.ts";
import type {
  AnswerDocument,
  GateList,
  LogList,
  OneRun,
  RunList,
  StartedDocument,
  StatusDocument,
  StoryList,
  WhyDocument,
} from "./run-documents.ts";
import type {
  EditDocument,
  InstalledWorkflow,
  PeekDocument,
  PrdCheck,
  PrdDone,
  ScratchDocument,
  ShownWorkflow,
  SimulationDocument,
  UninstalledWorkflow,
  WorkflowCheck,
  WorkflowList,
} from "./workflow-documents.ts";

export type PrintedDocument =
  | StatusDocument
  | RunList
  | OneRun
  | StoryList
  | WhyDocument
  | StartedDocument
  | GateList
  | AnswerDocument
  | LogList
  | CostDocument
  | CostList
  | ErrorDocument
  | WorkflowList
  | ShownWorkflow
  | WorkflowCheck
  | SimulationDocument
  | InstalledWorkflow
  | UninstalledWorkflow
  | EditDocument
  | PeekDocument
  | PrdCheck
  | PrdDone
  | ScratchDocument
  | ExecutorList
  | ExecutorTest
  | ExecutorReading
  | DoctorDocument
  | InitDocument
  | SchemaList;
