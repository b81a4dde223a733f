// Sets `passes` in the text of a PRD: true for a story that is done, false for one that was taken back. Every other byte stays the same. It remembers where the stories are, because a PRD of a
// thousand stories is half a megabyte, and one of them ends every few seconds.

import { membersOf, type Span } from "../files/json-places.ts";
import { storySpans } from "./prd.ts";

/** What to write for one story, and where. */
interface Mark {
  start: number;
  end: number;
  /** What stands before the value, where the key is missing; empty: the value is replaced. */
  before: string;
}

export class PassMarks {
  /** The text in which the marks are; null: none was read yet. */
  #text: string | null = null;
  #marks = new Map<string, readonly Mark[]>();

  mark(text: string, passes: ReadonlyMap<string, boolean>): string {
    if (text !== this.#text) this.#read(text);
    let changed = text;
    for (const [id, value] of passes) {
      for (const mark of this.#marks.get(id) ?? []) {
        // A story without the key does not pass.
        if (value || mark.before === "") changed = this.#set(changed, mark, String(value));
      }
    }
    this.#text = changed;
    return changed;
  }

  #read(whole: string): void {
    const { text, spans } = storySpans(whole);
    const offset = whole.length - text.length;
    this.#marks = new Map();
    for (const span of spans) {
      const { id, mark } = markIn(text, span);
      if (id === null) continue;
      const placed = { ...mark, start: mark.start + offset, end: mark.end + offset };
      this.#marks.set(id, [...(this.#marks.get(id) ?? []), placed]);
    }
  }

  #set(text: string, mark: Mark, value: string): string {
    const { start, end, before } = mark;
    const instead = before + value;
    const longer = instead.length - (end - start);
    for (const other of [...this.#marks.values()].flat()) {
      if (other.start <= start || longer === 0) continue;
      other.start += longer;
      other.end += longer;
    }
    // Afterwards the value stands there, whether it was replaced or added.
    mark.start = start + instead.length - value.length;
    mark.end = start + instead.length;
    mark.before = "";
    return text.slice(0, start) + instead + text.slice(end);
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
