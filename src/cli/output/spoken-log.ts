// The log of a process that lives for long: what a person should know of it is also said on the terminal.

import type { Application } from "../../application/application.ts";
import type { Console } from "./console.ts";

export function spokenLog(app: Application, console: Console): Application["log"] {
  return (event, fields) => {
    app.log(event, fields);
    const { note, why, run } = fields;
    const said = note ?? why ?? null;
    if (said !== null) console.note(`${new Date().toISOString()} ${run === undefined ? event : `run ${run}`}: ${said}`);
  };
}
