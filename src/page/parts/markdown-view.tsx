// Markdown as elements. Nothing of it is read as HTML, and what cannot be seen in it is shown as a word.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type Block, type Inline, markdownBlocks, markdownInlines } from "./markdown.ts";
import { Visible } from "./visible.tsx";

/** A longer text is shown as it is: to read it as markdown at each key that is typed would stop the page. */
const longest = 50_000;

export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => (text.length > longest ? null : markdownBlocks(text)), [text]);
  return <div class="markdown">{blocks === null ? <LongText text={text} /> : blocks.map(shownBlock)}</div>;
}

function LongText({ text }: { readonly text: string }) {
  return (
    <pre tabIndex={0}>
      <Visible text={text.slice(0, longest)} keepsLines />
    </pre>
  );
}

/** One line of it, such as a title. */
export function MarkdownLine({ text }: { readonly text: string }) {
  const inlines = useMemo(() => markdownInlines(text.slice(0, longest)), [text]);
  return <>{inlines.map(shownInline)}</>;
}

function shownBlock(block: Block, key: number): ComponentChildren {
  switch (block.kind) {
    case "paragraph":
      return <p key={key}>{block.inside.map(shownInline)}</p>;
    case "heading":
      return (
        <p key={key} class="markdown-heading">
          {block.inside.map(shownInline)}
        </p>
      );
    case "code":
      return (
        <pre key={key} tabIndex={0}>
          <Visible text={block.text} keepsLines />
        </pre>
      );
    case "quote":
      return <blockquote key={key}>{block.blocks.map(shownBlock)}</blockquote>;
    case "rule":
      return <hr key={key} />;
    case "list": {
      const items = block.items.map((blocks, i) => <li key={i}>{blocks.map(shownBlock)}</li>);
      return block.isOrdered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
  }
}

function shownInline(inline: Inline, key: number): ComponentChildren {
  switch (inline.kind) {
    case "text":
      return <Visible key={key} text={inline.text} keepsLines />;
    case "code":
      return (
        <code key={key}>
          <Visible text={inline.text} />
        </code>
      );
    case "strong":
      return <strong key={key}>{inline.inside.map(shownInline)}</strong>;
    case "em":
      return <em key={key}>{inline.inside.map(shownInline)}</em>;
    case "link":
      return (
        <a key={key} href={inline.href} target="_blank" rel="noreferrer" title={inline.href}>
          {inline.inside.map(shownInline)}
        </a>
      );
  }
}
