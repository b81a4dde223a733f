// `pawl token`: makes, lists and revokes the tokens of the HTTP API.

import type { Command } from "commander";
import { createToken, revokeToken, tokens } from "../../../application/access/tokens.ts";
import type { TokenDocument } from "../../../contracts/http-documents.ts";
import { summaryOf } from "../../catalogue.ts";
import { ageOf } from "../../input/age.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";

interface CreateOptions extends StoreOption {
  readonly role: string;
  readonly name?: string;
  readonly expires?: string;
}

export function define(program: Command, console: Console): void {
  const group = program.command("token").description(summaryOf("token"));
  group
    .command("create")
    .description("make a token for a program or a person, and print it once")
    .option("--role <role>", "read; answer: also answer gates; operate: also start and steer runs", "read")
    .option("--name <name>", "whose it is: what it does is recorded as done by token:NAME")
    .option("--expires <span>", "how long it is valid: 12h, 30d; without it, until it is revoked")
    .addHelpText("after", example("pawl token create --role operate --name ci --expires 30d"))
    .action(async ({ role, name, expires, ...options }: CreateOptions) => {
      const validMs = expires === undefined ? undefined : ageOf(expires);
      const document = await withApplication(options, (app) => createToken(app, { role, name, validMs }));
      if (console.json) return console.document(document);
      console.print(document.token);
      console.say(
        `This is the only time that it is shown. \`pawl token revoke ${document.name}\` makes it useless at once.`,
      );
    });
  group
    .command("list")
    .description("list the tokens, without their secrets")
    .addHelpText("after", example("pawl token list"))
    .action(async (options: StoreOption) => {
      const document = await withApplication(options, tokens);
      if (console.json) return console.document(document);
      if (document.tokens.length === 0)
        return console.say("There is no token yet. `pawl token create --role operate` makes one.");
      console.print(table([["name", "role", "made", "expires", "last used"], ...document.tokens.map(row)]));
    });
  group
    .command("revoke")
    .description("make a token useless at once")
    .argument("<name>", "as `pawl token list` shows it")
    .addHelpText("after", example("pawl token revoke ci"))
    .action(async (name: string, options: StoreOption) => {
      const document = await withApplication(options, (app) => revokeToken(app, name));
      if (console.json) return console.document(document);
      console.say(`The token ${document.name} is not valid any more.`);
    });
}

function row({ name, role, createdAt, expiresAt, usedAt }: TokenDocument): readonly string[] {
  return [name, role, createdAt.slice(0, 10), expiresAt?.slice(0, 10) ?? "never", usedAt?.slice(0, 16) ?? "never"];
}
