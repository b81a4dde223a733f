// Sets `passes` in the text of a PRD: true for a story that is done, false for one that was taken back. Every other byte stays the same.
// It remembers where the stories are, because a PRD of a thousand stories is half a megabyte, and one of them ends every few seconds.

import { membersOf, type Span } from "../files/json-places.ts";
import { storySpans } from "./prd.ts";

/** What to write for one story, and where. */
interface Mark extends Span {
  /** What stands before the value, where the key is missing; empty: the value is replaced. */
  readonly before: string;
}

/** The piece of the text that a mark changes. */
interface Place {
  readonly piece: number;
  readonly before: string;
  isThere: boolean;
}

export class PassMarks {
  /** The text in which the marks are; null: none was read yet. */
  #text: string | null = null;
  /** The text in pieces: what is between the marks, and in every second one a mark. */
  #pieces: string[] = [];
  #places = new Map<string, Place[]>();

  mark(text: string, passes: ReadonlyMap<string, boolean>): string {
    if (text !== this.#text) this.#read(text);
    for (const [id, value] of passes) {
      for (const place of this.#places.get(id) ?? []) {
        // A story without the key does not pass.
        if (!value && !place.isThere) continue;
        this.#pieces[place.piece] = `${place.before}${value}`;
        place.isThere = true;
      }
    }
    this.#text = this.#pieces.join("");
    return this.#text;
  }

  #read(whole: string): void {
    const { text, spans } = storySpans(whole);
    const offset = whole.length - text.length;
    this.#pieces = [];
    this.#places = new Map();
    let end = 0;
    for (const span of spans) {
      const { id, mark } = markIn(text, span);
      if (id === null) continue;
      const [from, to] = [mark.start + offset, mark.end + offset];
      this.#pieces.push(whole.slice(end, from), whole.slice(from, to));
      end = to;
      const place = { piece: this.#pieces.length - 1, before: mark.before, isThere: mark.before === "" };
      this.#places.set(id, [...(this.#places.get(id) ?? []), place]);
    }
    this.#pieces.push(whole.slice(end));
  }
}

/** Replaces the value, or adds the member in the style of the story's other members. */
function markIn(text: string, story: Span): { readonly id: string | null; readonly mark: Mark } {
  const members = membersOf(text, story);
  const id = members.findLast(({ key }) => key === "id");
  const present = members.findLast(({ key }) => key === "passes");
  const name = id === undefined ? null : String(JSON.parse(text.slice(id.value.start, id.value.end)));
  if (present) return { id: name, mark: { ...present.value, before: "" } };
  const last = members.at(-1);
  const beforeLast = members.at(-2);
  if (!last) return { id: null, mark: { ...story, before: "" } };
  const gap = beforeLast
    ? text.slice(beforeLast.value.end, last.name.start)
    : `,${text.slice(story.start + 1, last.name.start)}`;
  const colon = text.slice(last.name.end, last.value.start);
  return { id: name, mark: { start: last.value.end, end: last.value.end, before: `${gap}"passes"${colon}` } };
}
