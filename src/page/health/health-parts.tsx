// What the parts of the page about the service look like: a figure with its name, a section with its title.

import type { ComponentChildren } from "preact";

export function Figure(props: {
  readonly name: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div title={props.title}>
      <dt class="dim small">{props.name}</dt>
      <dd class="number">{props.children}</dd>
    </div>
  );
}

export function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
