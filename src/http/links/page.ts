// The page of a link to one gate: plain HTML with a form and no script. Texts come from agents, so every one of them is escaped.

import { createHash } from "node:crypto";
import type { LinkView, ShownGate } from "../../application/gates/gate-links.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a3f48); --soft: light-dark(#5c6470, #a3abb8);
  --accent: light-dark(#1f5fbf, #8ab4f8); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 42rem; font: 1.0625rem/1.55 system-ui, sans-serif;
  color: light-dark(#1b1f24, #e8eaed); background: light-dark(#fff, #16181c); }
h1 { font-size: 1.5rem; line-height: 1.3; margin: .25rem 0 1rem; overflow-wrap: anywhere; unicode-bidi: plaintext; }
p.about, small { color: var(--soft); } p.about { margin: 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; padding: 1rem; margin: 0 0 1.5rem;
  border: 1px solid var(--line); border-radius: .5rem; font: .9375rem/1.5 ui-monospace, monospace; max-height: 50vh;
  overflow: auto; }
label { display: block; margin-bottom: .35rem; }
textarea { width: 100%; min-height: 5rem; padding: .6rem .75rem; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: .5rem; }
.answers { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.25rem; border-radius: .5rem;
  border: 1px solid var(--accent); color: var(--accent); background: transparent; cursor: pointer; }
button:first-child { color: light-dark(#fff, #10131a); background: var(--accent); }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** Only this style, only a form to this server, nothing else. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  // With `no-referrer`, a browser would send the form with the Origin `null`.
  "referrer-policy": "same-origin",
  "x-robots-tag": "noindex, nofollow",
  "cache-control": "no-store",
};

/** `chosen`: the answer whose button comes first; one that is not an answer chooses nothing. */
export function linkPage(view: LinkView, chosen = ""): { readonly status: 200 | 404 | 410; readonly html: string } {
  switch (view.kind) {
    case "open":
      return { status: 200, html: pageOf("Pawl asks", questionOf(view.shown, formOf(view.shown, chosen))) };
    case "over":
      return { status: 200, html: pageOf("Pawl asked", questionOf(view.shown, `<p>${escaped(view.how)}</p>`)) };
    case "expired":
      return { status: 410, html: noticePage("This link has expired", "Answer with `pawl gates` on the machine.") };
    case "unknown":
      return { status: 404, html: noticePage("This link is not valid", "Check that you have copied all of it.") };
  }
}

/** `home`: it leads to the first page. */
export function noticePage(title: string, text: string, home = ""): string {
  const way = home === "" ? "" : `<p><a href="/">${escaped(home)}</a></p>`;
  return pageOf(title, `<h1>${escaped(title)}</h1><p>${escaped(text)}</p>${way}`);
}

function questionOf({ run, task, story, question, feedback }: ShownGate, rest: string): string {
  const about = [run === null ? "" : `Run #${run}`, story ?? "", task].filter((text) => text !== "").join(" · ");
  const said = feedback.trim() === "" ? "" : `<pre>${escaped(feedback)}</pre>`;
  return `<p class="about">${escaped(about)}</p><h1>${escaped(question)}</h1>${said}${rest}`;
}

function formOf({ answers, tree, deadline }: ShownGate, chosen: string): string {
  const first = answers.filter((answer) => answer === chosen);
  const buttons = [...first, ...answers.filter((answer) => answer !== chosen)].map((answer) => {
    const [option = "", reason] = answer.split(/:(.*)/s);
    const label = reason === undefined ? option : `${option}: ${reason}`;
    return `<button name="answer" value="${escaped(answer)}">${escaped(label)}</button>`;
  });
  const until =
    deadline === null
      ? ""
      : `<p><small>Without an answer by ${escaped(new Date(deadline.at).toUTCString())}: ${escaped(deadline.option)}.</small></p>`;
  return `<form method="post">
<input type="hidden" name="tree" value="${escaped(tree ?? "")}">
<label for="note">Note for the next agent (optional)</label>
<textarea id="note" name="note" maxlength="10000"></textarea>
<div class="answers">${buttons.join("\n")}</div>
</form>${until}`;
}

function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${style}</style></head>
<body><main>${body}</main></body></html>
`;
}

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Control characters other than line breaks and tabs show nothing and may hide something. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? "").replaceAll(/[^\P{Cc}\n\t]/gu, "\u{fffd}");
}
