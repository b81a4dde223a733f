// Reads JUnit XML. Only its elements and attributes count; nothing is expanded or loaded, and a document type has no effect.

import { cannotRead, mostTests, type ResultReader, type ResultsRead, Tally } from "./result.ts";
import { wholeTextReader } from "./whole-text.ts";

const root = /<testsuites?(?=[\s/>])/g;
const tag = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const attribute = /([\w.:-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const deepest = 200;

export function junitReader(): ResultReader {
  return wholeTextReader(read);
}

function read(text: string): ResultsRead {
  const tally = new Tally();
  let documents = 0;
  let from = 0;
  for (;;) {
    root.lastIndex = from;
    const found = root.exec(text);
    if (found === null) break;
    const end = readDocument(text, found.index, tally);
    if (typeof end === "string") return cannotRead(end);
    documents += 1;
    from = end;
  }
  return documents === 0 ? cannotRead("it has no <testsuites> and no <testsuite>") : tally.results();
}

interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Failures and errors of the tests in it. */
  troubles: number;
  isSkipped: boolean;
}

/** The index after the document, or what is wrong with it. */
function readDocument(text: string, from: number, tally: Tally): number | string {
  const open: Element[] = [];
  for (let at = from; ; ) {
    const next = text.indexOf("<", at);
    if (next === -1) return "its XML is cut off";
    const skipped = skipSpecial(text, next);
    if (typeof skipped === "string") return skipped;
    if (skipped !== null) {
      at = skipped;
      continue;
    }
    tag.lastIndex = next;
    const found = tag.exec(text);
    if (found === null) return text.indexOf(">", next) === -1 ? "its XML is cut off" : "its XML is damaged";
    at = tag.lastIndex;
    const [, closing, name = "", attributes = "", empty] = found;
    if (closing === "/") {
      const element = open.pop();
      if (element?.name !== name) return "its XML is damaged: an element ends that is not open";
      close(element, open.at(-1), tally);
    } else {
      const element = { name, attributes: attributesOf(attributes), troubles: 0, isSkipped: false };
      if (empty === "/") close(element, open.at(-1), tally);
      else open.push(element);
    }
    if (open.length > deepest) return "its XML is too deep";
    if (tally.count > mostTests) return `it has more than ${mostTests} tests`;
    if (open.length === 0) return at;
  }
}

/** The index after a comment, a CDATA section or an instruction; null: there is none. */
function skipSpecial(text: string, at: number): number | string | null {
  const ends: readonly (readonly [string, string])[] = [
    ["<!--", "-->"],
    ["<![CDATA[", "]]>"],
    ["<?", "?>"],
  ];
  for (const [begin, end] of ends) {
    if (!text.startsWith(begin, at)) continue;
    const over = text.indexOf(end, at + begin.length);
    return over === -1 ? "its XML is cut off" : over + end.length;
  }
  return text.startsWith("<!", at) ? "its XML declares something inside of its results" : null;
}

function close(element: Element, parent: Element | undefined, tally: Tally): void {
  const { name, attributes } = element;
  if (parent?.name === "testcase") {
    if (name === "failure" || name === "error") parent.troubles += 1;
    if (name === "skipped") parent.isSkipped = true;
    return;
  }
  if (name === "testcase") {
    const title = [attributes.get("classname"), attributes.get("name")].filter((part) => part).join(".");
    if (element.troubles > 0) tally.failed(title);
    else if (element.isSkipped) tally.skipped();
    else tally.passed(title);
  } else if (name === "testsuite" || name === "testsuites") {
    const said = numberOf(attributes.get("failures")) + numberOf(attributes.get("errors"));
    if (said > element.troubles) {
      tally.broke(attributes.get("name") ?? name);
      element.troubles = said;
    }
  }
  if (parent) parent.troubles += element.troubles;
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(attribute)].map(([, name = "", double, single]) => [name, plain(double ?? single ?? "")]),
  );
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The five names of XML and numbers. Every other reference stays as it is written. */
function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g, (all, decimal, hex, word) => {
    if (word !== undefined) return named[word] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

function numberOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
