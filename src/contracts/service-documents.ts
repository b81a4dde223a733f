// Contracts of `pawl up`, `pawl down` and `pawl open`: the service of a home; and of `pawl worker`.

import { z } from "zod";
import { count, object, text, texts, time } from "./shape.ts";

export const serviceStartedContract = object({
  url: text.describe("Where it answers."),
  pid: count,
}).meta({ id: "ServiceStarted" });

export const serviceStoppedContract = object({
  stopped: z.boolean().describe("false: none was running."),
  pid: count.nullable(),
}).meta({ id: "ServiceStopped" });

export const serviceInstalledContract = object({
  file: text.describe("The file that was written."),
  commands: texts.describe("What to type next, in order."),
}).meta({ id: "ServiceInstalled" });

export const workerStartedContract = object({
  worker: text.describe("The name under which it holds attempts."),
  slots: count.describe("How many attempts it performs at once."),
}).meta({ id: "WorkerStarted" });

export const openedPageContract = object({
  url: text.describe("The address of the page. Where no browser was opened, with a code that signs in once."),
  opened: z.boolean().describe("Whether a browser was started."),
  expiresAt: time.describe("When the code becomes useless."),
  service: object({
    url: text.describe("Where this machine reaches it."),
    pid: count,
    started: z.boolean().describe("Whether this command has started it."),
  }),
}).meta({ id: "OpenedPage" });

export type OpenedPage = z.infer<typeof openedPageContract>;
export type ServiceStarted = z.infer<typeof serviceStartedContract>;
export type WorkerStarted = z.infer<typeof workerStartedContract>;
export type ServiceStopped = z.infer<typeof serviceStoppedContract>;
export type ServiceInstalled = z.infer<typeof serviceInstalledContract>;
