import { expect, test } from "vitest";
import type { LineComment } from "../diff/line-comment.ts";
import { type DraftStorage, GateDraft, noWords } from "./gate-draft.ts";

/** As a browser has it; `room` in characters. */
function storageOf(room = Number.POSITIVE_INFINITY): DraftStorage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    get length() {
      return items.size;
    },
    key: (i) => [...items.keys()][i] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      items.set(key, value);
    },
    removeItem: (key) => void items.delete(key),
  };
}

const comment: LineComment = { path: "a.ts", side: "new", line: 3, text: "Why?", quote: "let a" };

test("[PG48] a draft has the note, the answer, the comments and the viewed files after a reload, for its gate alone", () => {
  const storage = storageOf();
  const draft = new GateDraft("r.1", storage);
  draft.set({ note: "More tests", option: "reject", reason: "unclear" });
  draft.comment(comment);
  draft.comment({ ...comment, side: "old" });
  draft.comment({ ...comment, text: "Why now?" });
  draft.setViewed("a.ts", "12.x");
  draft.keep();
  expect(new GateDraft("r.1", storage).words.value).toEqual({
    note: "More tests",
    option: "reject",
    reason: "unclear",
    comments: [
      { ...comment, side: "old" },
      { ...comment, text: "Why now?" },
    ],
    viewed: { "a.ts": "12.x" },
  });
  expect(new GateDraft("r.2", storage).words.value).toEqual(noWords);
  draft.comment({ ...comment, text: " " });
  draft.remove({ ...comment, side: "old" });
  expect(draft.words.value.comments).toEqual([]);
  draft.clear();
  expect(new GateDraft("r.1", storage).words.value).toEqual({ ...noWords, viewed: { "a.ts": "12.x" } });
});

test("[PG48] what is no draft is none, one that is old is removed, and a full browser is said", () => {
  const storage = storageOf(400);
  storage.setItem("pawl.gate.r.1", '{"note":7,"comments":[{"path":"a"},null,7],"viewed":{"a":1,"b":"x"},"at":9e15}');
  expect(new GateDraft("r.1", storage).words.value).toEqual({ ...noWords, viewed: { b: "x" } });
  storage.setItem("pawl.gate.old", '{"note":"x","at":1}');
  storage.setItem("pawl.gate.noise", "not JSON");
  storage.setItem("another", "x");
  const draft = new GateDraft("r.3", storage);
  expect([...storage.items.keys()]).toEqual(["pawl.gate.r.1", "another"]);
  draft.set({ note: "x".repeat(500) });
  draft.keep();
  expect([draft.isKept.value, draft.words.value.note.length]).toEqual([false, 500]);
});
