// Contracts of `pawl up` and `pawl down`: the service of a home.

import { z } from "zod";
import { count, object, text, texts } from "./shape.ts";

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

export type ServiceStarted = z.infer<typeof serviceStartedContract>;
export type ServiceStopped = z.infer<typeof serviceStoppedContract>;
export type ServiceInstalled = z.infer<typeof serviceInstalledContract>;
