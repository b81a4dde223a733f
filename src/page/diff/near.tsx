// A part of a long page that is there only while it is near to what can be seen. Otherwise a box of its height stands for it, so that
// 5,000 files cost what 50 do.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  /** About, in pixels, until it was there once. */
  readonly height: number;
  /** It is there wherever it stands. */
  readonly isNeeded: boolean;
  readonly children: () => ComponentChildren;
}

export function Near({ height, isNeeded, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const measured = useRef<number | null>(null);
  const isNear = useSignal(isNeeded);
  const isThere = isNear.value || isNeeded;
  useLayoutEffect(() => {
    (box.current as HTMLDivElement).style.minHeight = isThere ? "" : `${measured.current ?? height}px`;
  }, [isThere, height]);
  useEffect(() => {
    const element = box.current as HTMLDivElement;
    const watching = new IntersectionObserver(
      (entries) => {
        const isSeen = entries.at(-1)?.isIntersecting === true;
        // Who stands in it with the keyboard would fall out of the page.
        if (!isSeen && element.contains(document.activeElement)) return;
        if (!isSeen) measured.current = element.offsetHeight;
        isNear.value = isSeen;
      },
      { rootMargin: "1200px 0px" },
    );
    watching.observe(element);
    return () => watching.disconnect();
  }, []);
  return <div ref={box}>{isThere ? children() : null}</div>;
}
