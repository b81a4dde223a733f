// Tools. Owns: what a tool is: its name, its input, its work. A call with wrong arguments is answered with the problems, so that a
// model can correct itself.

import { z } from "zod";
import { AppError, errorText } from "../domain/error.ts";
import type { Reply } from "../runtime/attempt/execute/desk.ts";

export interface Tool {
  readonly name: string;
  /** Commands of Pawl call it, and no agent sees it. */
  readonly isHidden: boolean;
  /** For `tools/list`. */
  describe(): object;
  /** Never rejects. */
  call(given: unknown): Promise<Reply>;
}

interface ToolOptions<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject<Shape>;
  /** It only reads. */
  readonly looks?: boolean;
  /** It ends something for good. Agents ask before they call such a tool. */
  readonly destroys?: boolean;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly isHidden?: boolean;
  readonly work: (input: z.output<z.ZodObject<Shape>>) => Reply | Promise<Reply>;
}

export function tool<Shape extends z.ZodRawShape>(options: ToolOptions<Shape>): Tool {
  const { name, description, input, looks = false, destroys = false, meta, isHidden = false } = options;
  return {
    name,
    isHidden,
    describe: () => ({
      name,
      description,
      inputSchema: schemaOf(input),
      annotations: { readOnlyHint: looks, destructiveHint: destroys, openWorldHint: false },
      ...(meta === undefined ? {} : { _meta: meta }),
    }),
    async call(given) {
      const read = input.safeParse(given);
      if (!read.success) return { accepted: false, text: problemsOf(name, read.error) };
      try {
        return await options.work(read.data);
      } catch (error) {
        return { accepted: false, text: inWords(error) };
      }
    },
  };
}

/** Without the name of the draft, which MCP sets: some agents refuse a schema that names one. */
function schemaOf(input: z.ZodObject): object {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema;
}

function problemsOf(name: string, { issues }: z.ZodError): string {
  const lines = issues.slice(0, 10).map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
  return `${name} was called with wrong arguments:\n${lines.join("\n")}`;
}

function inWords(error: unknown): string {
  if (error instanceof AppError)
    return [`${error.message} (${error.code})`, ...error.details, `hint: ${error.hint}`].join("\n");
  return errorText(error);
}
