// What a kind of work gets to do its work with. It returns an `Answer`.

import type { Executor } from "../../../executors/executor.ts";
import type { Mailbox } from "../../mailbox.ts";
import type { StopSwitch } from "../../stop-switch.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import type { AttemptLog } from "../logs.ts";
import type { Input } from "../prepare/input.ts";

export interface Work {
  readonly begun: BegunAttempt;
  readonly input: Input;
  /** The program that does the work; null: the runtime itself does it. */
  readonly executor: Executor | null;
  readonly log: AttemptLog;
  /** Whatever takes time registers here how to stop it. */
  readonly stop: StopSwitch;
  /** Whatever takes messages registers here how to tell it. */
  readonly mailbox: Mailbox;
}
