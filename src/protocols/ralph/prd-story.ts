// Reads one story object of a PRD in the spellings that people use. prd.ts checks how stories relate.

import { storyId } from "../../domain/ids.ts";
import type { StorySpec } from "../../domain/story.ts";
import { cleanText } from "../../prompts/plaintext.ts";
import { itemsOf, type Member, membersOf, type Span } from "../files/json-places.ts";

export interface PrdStory extends StorySpec {
  /** It was finished before: it is not worked on, and no story waits for it. */
  readonly passes: boolean;
}

/** As the file has it. A story that it skips is no story of the run. */
export interface ReadStory extends PrdStory {
  readonly skipped: boolean;
}

/** A problem that a person must correct, with its position. */
export interface PrdProblem {
  readonly at: number;
  readonly message: string;
}

interface Findings {
  readonly problems: PrdProblem[];
  readonly notes: string[];
}

/** Always returns a story, which is used only if there are no problems. */
export function readPrdStory(text: string, span: Span, findings: Findings): ReadStory {
  if (text[span.start] !== "{") {
    findings.problems.push({ at: span.start, message: "a story must be an object with `id` and `title`" });
    return {
      id: storyId(""),
      title: "",
      description: "",
      acceptanceCriteria: [],
      dependsOn: [],
      passes: false,
      skipped: false,
    };
  }
  const story = new StoryReader(text, span, findings);
  const id = story.id();
  const title = story.required("title").replace(/\s+/g, " ");
  const description = [story.text("description"), story.texts("notes").join("\n")];
  const acceptanceCriteria = story.criteria();
  const dependsOn = [...new Set(story.texts("depends_on"))].map(storyId);
  const passes = story.flag("passes");
  const skipped = story.flag("skipped");
  const priority = story.number("priority");
  const touches = story.texts("touches");
  return {
    id: storyId(id),
    title,
    description: description.filter((part) => part !== "").join("\n\n"),
    acceptanceCriteria,
    dependsOn,
    passes,
    skipped,
    ...(priority === null ? {} : { priority }),
    ...(touches.length === 0 ? {} : { touches }),
  };
}

const spellings: Readonly<Record<string, string>> = {
  acceptanceCriteria: "acceptance_criteria",
  dependsOn: "depends_on",
  skip: "skipped",
};

class StoryReader {
  readonly #text: string;
  readonly #span: Span;
  readonly #findings: Findings;
  readonly #members: ReadonlyMap<string, Member>;
  #name = "a story";

  constructor(text: string, span: Span, findings: Findings) {
    this.#text = text;
    this.#span = span;
    this.#findings = findings;
    // If a key occurs twice the last one counts, as usual in JSON.
    this.#members = new Map(membersOf(text, span).map((member) => [spellings[member.key] ?? member.key, member]));
  }

  /** Unchanged, because the story is found by it when `passes` is written, and it names files. */
  id(): string {
    const value = this.#value("id");
    if (typeof value !== "string" || value === "") {
      this.#refuse("id", "must be a non-empty string");
      return "";
    }
    this.#name = value.slice(0, 80);
    return value;
  }

  required(key: string): string {
    const value = this.#value(key);
    const text = typeof value === "string" ? clean(value) : "";
    if (text === "") this.#refuse(key, "must be a non-empty string");
    return text;
  }

  text(key: string): string {
    const value = this.#value(key);
    if (typeof value === "string") return clean(value);
    if (value !== null) this.#refuse(key, "must be a string");
    return "";
  }

  /** A list of strings; a single string is a list of one. */
  texts(key: string): readonly string[] {
    const value = this.#value(key);
    if (typeof value === "string") return clean(value) === "" ? [] : [clean(value)];
    return this.#list(key, value);
  }

  criteria(): readonly string[] {
    const key = "acceptance_criteria";
    const value = this.#value(key);
    const criteria = typeof value === "string" ? this.#criteriaIn(clean(value)) : this.#list(key, value);
    if (criteria.length === 0) this.#findings.notes.push(`${this.#name} has no acceptance criteria`);
    return criteria;
  }

  flag(key: string): boolean {
    const value = this.#value(key);
    if (value !== null && typeof value !== "boolean") this.#refuse(key, "must be true or false");
    return value === true;
  }

  number(key: string): number | null {
    const value = this.#value(key);
    if (value === null || (typeof value === "number" && Number.isFinite(value))) return value;
    this.#refuse(key, "must be a number; the lowest starts first");
    return null;
  }

  /** A list in one string becomes several criteria. */
  #criteriaIn(text: string): readonly string[] {
    this.#findings.notes.push(`${this.#name}: the acceptance criteria are a string, not a list; read line by line`);
    const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
    const lines = text.split("\n");
    if (!lines.some((line) => item.test(line))) return text === "" ? [] : [text];
    const items: string[] = [];
    for (const line of lines) {
      // A line that is not an item continues the one before it.
      if (item.test(line) || items.length === 0) items.push(line.replace(item, "").trim());
      else items.push(`${items.pop() ?? ""}\n${line.trim()}`.trim());
    }
    return items.filter((text) => text !== "");
  }

  #list(key: string, value: unknown): readonly string[] {
    if (value === null) return [];
    if (!Array.isArray(value)) {
      this.#refuse(key, "must be a list of strings");
      return [];
    }
    const index = value.findIndex((item) => typeof item !== "string");
    const list = this.#members.get(key)?.value;
    const item = index >= 0 && list ? itemsOf(this.#text, list)[index] : undefined;
    if (item) this.#refuse(key, "must be a string", { index, at: item.start });
    return value
      .filter((item): item is string => typeof item === "string")
      .map(clean)
      .filter((text) => text !== "");
  }

  /** null also if the key is missing. */
  #value(key: string): unknown {
    const span = this.#members.get(key)?.value;
    return span ? JSON.parse(this.#text.slice(span.start, span.end)) : null;
  }

  #refuse(key: string, wanted: string, item: { readonly index: number; readonly at: number } | null = null): void {
    const member = this.#members.get(key);
    const name = `${member?.key ?? key}${item ? `[${item.index}]` : ""}`;
    const at = item?.at ?? member?.value.start ?? this.#span.start;
    this.#findings.problems.push({ at, message: `${this.#name}: ${name} ${wanted}` });
  }
}

function clean(text: string): string {
  return cleanText(text).text.trim();
}
