// Keys for those who do not want to reach for the mouse. Owns: which key does what, and the dialog that lists them. Every key is a
// second way: each action is a button or a link as well.

import { useLayoutEffect, useRef } from "preact/hooks";
import { go } from "./address.ts";
import { common } from "./texts/common.ts";
import { keyTexts } from "./texts/keys.ts";

export interface KeyAction {
  /** `g n` is one key after the other. */
  readonly key: string;
  readonly name: string;
  readonly act: () => void;
}

const everywhere: readonly KeyAction[] = [
  { key: "g h", name: keyTexts.home, act: () => go("/") },
  { key: "g n", name: keyTexts.needsYou, act: () => go("/#needs-you") },
  { key: "/", name: keyTexts.search, act: () => document.querySelector<HTMLElement>("input[type=search]")?.focus() },
  { key: "j", name: keyTexts.next, act: () => moveFocus(1) },
  { key: "k", name: keyTexts.previous, act: () => moveFocus(-1) },
];

const ofParts = new Map<symbol, readonly KeyAction[]>();

/**
 * The keys of a part of the page, as long as it is shown: they go with it, and not a frame later, in which a quick key would still be taken
 * for one of the page that was left.
 */
export function useKeys(actions: readonly KeyAction[]): void {
  const id = useRef(Symbol("keys"));
  ofParts.set(id.current, actions);
  useLayoutEffect(() => () => void ofParts.delete(id.current), []);
}

export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    let before = "";
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") {
        dialog.current?.showModal();
        return;
      }
      const all = [...[...ofParts.values()].flat(), ...everywhere];
      const action =
        all.find(({ key }) => key === `${before} ${event.key}`) ?? all.find(({ key }) => key === event.key);
      before = event.key;
      if (action === undefined) return;
      before = "";
      event.preventDefault();
      action.act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  const shown = [...[...ofParts.values()].flat(), ...everywhere];
  return (
    <dialog ref={dialog} class="keys card" aria-label={common.keys}>
      <h2>{common.keys}</h2>
      <dl>
        {shown.map(({ key, name }) => (
          <div key={key}>
            <dt>
              {key.split(" ").map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">{common.close}</button>
      </form>
    </dialog>
  );
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || isTextField(target);
}

function isTextField(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && !["range", "checkbox", "radio", "button"].includes(target.type);
}

/** Through everything in the page that can be opened. */
function moveFocus(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[Math.min(rows.length - 1, Math.max(0, at === -1 ? 0 : at + by))];
  (next?.matches("a, button") ? next : next?.querySelector<HTMLElement>("a, button"))?.focus();
}
