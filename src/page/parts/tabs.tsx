// The views of one thing, as links. On a narrow screen they scroll, and the current one is in sight.

import { useLayoutEffect, useRef } from "preact/hooks";

interface Tab {
  readonly name: string;
  readonly path: string;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: number;
}

export function Tabs({ label, tabs, current }: Props) {
  const nav = useCurrentInSight<HTMLElement>(current);
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {tabs.map(({ name, path }, i) => (
        <a key={name} href={path} aria-current={i === current ? "page" : undefined}>
          {name} <kbd aria-hidden="true">{i + 1}</kbd>
        </a>
      ))}
    </nav>
  );
}

/** For a list of links that scrolls sideways. The page itself does not move. */
export function useCurrentInSight<E extends HTMLElement>(current: unknown) {
  const list = useRef<E>(null);
  useLayoutEffect(() => {
    const link = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (!list.current || !link) return;
    const [around, inside] = [list.current.getBoundingClientRect(), link.getBoundingClientRect()];
    if (inside.right > around.right) list.current.scrollLeft += inside.right - around.right;
    else if (inside.left < around.left) list.current.scrollLeft -= around.left - inside.left;
  }, [current]);
  return list;
}
