// Gates by a signed link: what its page shows, and the one answer that its button gives. The link is the permission, so nothing else
// of the run is shown.

import { AppError } from "../../domain/error.ts";
import { endOfGate, isQuestion, namesOf, type PersonGate } from "../../domain/gate.ts";
import { gateId } from "../../domain/ids.ts";
import { isGenuine, readLink } from "../../runtime/gate-link.ts";
import { linkKey } from "../../system/link-key.ts";
import type { Application } from "../application.ts";
import { firstLine } from "../references.ts";
import { answer } from "./gates.ts";

/** The author of an answer that came by a link. */
const linkAuthor = "link";

export type LinkView =
  /** Forged, of another home, or of a gate that is gone: which of them is not said. */
  | { readonly kind: "unknown" }
  | { readonly kind: "expired" }
  /** `how`: what became of the question. */
  | { readonly kind: "over"; readonly shown: ShownGate; readonly how: string }
  | { readonly kind: "open"; readonly shown: ShownGate };

export interface ShownGate {
  readonly id: string;
  readonly run: number | null;
  readonly task: string;
  readonly story: string | null;
  readonly question: string;
  /** What the step before it said, or why it was sent here. */
  readonly feedback: string;
  readonly cause: PersonGate["cause"];
  /** What a button can say: an option, or `option:reason`. */
  readonly answers: readonly string[];
  readonly tree: string | null;
  readonly deadline: { readonly at: number; readonly option: string } | null;
}

/** Changes nothing: chat programs fetch every link that they see. */
export async function viewLink(app: Application, link: string): Promise<LinkView> {
  const read = readLink(link);
  if (read === null) return { kind: "unknown" };
  const { store, clock } = (await app.read()).parts;
  const found = await store.gate(gateId(read.gate));
  if (found === null || !isQuestion(found.gate)) return { kind: "unknown" };
  const { gate } = found;
  if (!isGenuine(linkKey(app.home.dir), { id: gate.id, options: namesOf(gate.options) }, read))
    return { kind: "unknown" };
  if (read.expiresAt <= clock.now()) return { kind: "expired" };
  const run = await store.runById(found.run);
  const shown: ShownGate = {
    id: gate.id,
    run: run?.number ?? null,
    task: firstLine(run?.task ?? "", 200),
    story: gate.story,
    question: gate.question,
    feedback: gate.said ?? gate.feedback,
    cause: gate.cause,
    answers: Object.keys(gate.options),
    tree: gate.tree,
    deadline: gate.deadline,
  };
  const how = endOfGate(gate);
  return how === null ? { kind: "open", shown } : { kind: "over", shown, how };
}

export interface LinkAnswer {
  /** One of `answers`. */
  readonly answer: string;
  readonly note: string;
  /** The tree that the page showed; "": none. */
  readonly tree: string;
}

/** Gives the answer once, as `pawl answer` does. Returns the view when the link cannot answer. */
export async function answerLink(app: Application, link: string, given: LinkAnswer): Promise<LinkView | null> {
  const view = await viewLink(app, link);
  if (view.kind !== "open") return view;
  const { shown } = view;
  if (!shown.answers.includes(given.answer))
    throw new AppError("INPUT_INVALID", "that is not an answer to this question", {
      hint: "open the link again and press one of its buttons",
    });
  if (given.tree !== (shown.tree ?? ""))
    throw new AppError("REFUSED", "the work has changed since you opened this page", {
      hint: "open the link again and look at it as it is now",
    });
  const [option = "", reason] = given.answer.split(/:(.*)/s);
  await answer(app, shown.id, { option, reason, note: given.note.trim(), author: linkAuthor });
  return null;
}
