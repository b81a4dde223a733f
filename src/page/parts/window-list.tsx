// A long list of rows of one height. Only the rows that can be seen are there, so 20,000 of them cost what 40 do, and nothing jumps.
// It follows its end until a person scrolls away from it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  readonly count: number;
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  /** Stays at the end while rows come. */
  readonly follows: boolean;
  /** Words of the button that leads back to the end. */
  readonly toEnd: string;
  /** Brings this row into sight when it changes; null: none. */
  readonly shows?: number | null;
}

const spare = 10;
/** A browser cannot show a box higher than some 17 million pixels. */
const highestBox = 8_000_000;

export function WindowList({ count, rowHeight, row, label, follows, toEnd, shows = null }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const seen = useSignal(600);
  const isAtEnd = useSignal(follows);
  const height = Math.min(count * rowHeight, highestBox);
  const scale = count === 0 ? 1 : (count * rowHeight) / Math.max(1, height);
  useEffect(() => {
    const element = box.current as HTMLDivElement;
    const watching = new ResizeObserver(() => {
      seen.value = element.clientHeight;
    });
    watching.observe(element);
    return () => watching.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    (inside.current as HTMLDivElement).style.height = `${height}px`;
    if (isAtEnd.value) element.scrollTop = element.scrollHeight;
  }, [height]);
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    if (shows === null) return;
    const place = (shows * rowHeight) / scale;
    if (place < element.scrollTop || place > element.scrollTop + element.clientHeight - rowHeight)
      element.scrollTop = place - element.clientHeight / 2;
  }, [shows]);
  const first = Math.max(0, Math.floor((top.value * scale) / rowHeight) - spare);
  const last = Math.min(count, first + Math.ceil(seen.value / rowHeight) + 2 * spare);
  useLayoutEffect(() => {
    const offset = scale === 1 ? first * rowHeight : top.value - Math.min(first, spare) * rowHeight;
    (rows.current as HTMLDivElement).style.transform = `translateY(${Math.max(0, offset)}px)`;
  });
  const jump = () => {
    const element = box.current as HTMLDivElement;
    element.scrollTop = element.scrollHeight;
  };
  return (
    <div class="window-frame">
      <div
        class="window card"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={label}
        onScroll={({ currentTarget: element }) => {
          top.value = element.scrollTop;
          isAtEnd.value = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
        }}
      >
        <div class="window-inside" ref={inside}>
          <div class="window-rows" ref={rows}>
            {Array.from({ length: Math.max(0, last - first) }, (_, i) => row(first + i))}
          </div>
        </div>
      </div>
      {follows && !isAtEnd.value ? (
        <button type="button" class="to-end" onClick={jump}>
          {toEnd}
        </button>
      ) : null}
    </div>
  );
}
