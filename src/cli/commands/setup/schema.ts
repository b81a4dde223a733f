// `pawl schema`: the JSON Schemas of the documents that `--json` and `--events` print.

import type { Command } from "commander";
import { contracts, jsonSchemaOf, listSchemas } from "../../../contracts/contracts.ts";
import { AppError } from "../../../domain/error.ts";
import { didYouMean } from "../../../domain/nearest.ts";
import { summaryOf } from "../../catalogue.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";

export function define(program: Command, console: Console): void {
  program
    .command("schema")
    .description(summaryOf("schema"))
    .argument("[name]", "a name from the list")
    .addHelpText(
      "after",
      example("pawl schema", "pawl schema status > status.schema.json", "pawl schema --json | jq .version"),
    )
    .action((name: string | undefined) => {
      if (name === undefined) list(console);
      else print(console, name);
    });
}

function list(console: Console): void {
  const schemas = listSchemas();
  if (console.json) return console.document(schemas);
  console.print(table(schemas.documents.map(({ name, summary, commands }) => [name, summary, commands.join(", ")])));
  console.say(
    `\nVersion ${schemas.version}. \`pawl schema NAME\` prints one. The schema of workflow files: pawl workflow schema`,
  );
}

function print(console: Console, name: string): void {
  const contract = Object.hasOwn(contracts, name) ? contracts[name] : undefined;
  if (contract === undefined) {
    throw new AppError("NOT_FOUND", `there is no document "${name}"`, {
      hint: `${didYouMean(name, Object.keys(contracts))}there are: ${Object.keys(contracts).join(", ")}`,
    });
  }
  console.jsonSchema(jsonSchemaOf(name, contract));
}
