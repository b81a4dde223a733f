// A long list of rows of one height. Only the rows that can be seen are there, so 20,000 of them cost what 40 do, and nothing jumps.
// It follows its end until a person scrolls away from it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";

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
  /** Changes when the row is asked for again. */
  readonly asked?: number;
  /** The number of the first row: when rows come before it or go, what a person reads stays where it is. */
  readonly origin?: number;
  /** Hears whether the end is followed. */
  readonly onFollow?: (isAtEnd: boolean) => void;
}

const spare = 10;
/** A browser cannot show a box higher than some 17 million pixels. */
const highestBox = 8_000_000;

export function WindowList(props: Props) {
  const { count, rowHeight, row, label, follows, toEnd, shows = null, asked = 0, origin = 0, onFollow } = props;
  const box = useRef<HTMLDivElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const seen = useSignal(600);
  const isAtEnd = useSignal(follows);
  /** The rows of the new place are there in the same frame. */
  const scrollTo = (element: HTMLDivElement, place: number) => {
    element.scrollTop = place;
    top.value = element.scrollTop;
  };
  const follow = (element: HTMLDivElement) => {
    const isNow = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
    if (isNow === isAtEnd.value) return;
    isAtEnd.value = isNow;
    onFollow?.(isNow);
  };
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
    if (isAtEnd.value) scrollTo(element, element.scrollHeight);
  }, [height]);
  const before = useRef(origin);
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    if (!isAtEnd.value) scrollTo(element, element.scrollTop + ((before.current - origin) * rowHeight) / scale);
    before.current = origin;
  }, [origin]);
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    if (shows === null) return;
    const place = (shows * rowHeight) / scale;
    if (place < element.scrollTop || place > element.scrollTop + element.clientHeight - rowHeight)
      scrollTo(element, place - element.clientHeight / 2);
    follow(element);
  }, [shows === null ? null : shows + origin, asked]);
  const first = Math.max(0, Math.floor((top.value * scale) / rowHeight) - spare);
  const last = Math.min(count, first + Math.ceil(seen.value / rowHeight) + 2 * spare);
  useLayoutEffect(() => {
    const offset = scale === 1 ? first * rowHeight : top.value - Math.min(first, spare) * rowHeight;
    // Not a transform: a row that stays would be painted again wherever the list has moved.
    (rows.current as HTMLDivElement).style.top = `${Math.max(0, offset)}px`;
  });
  // The same element again is not compared: a row that stays in sight costs nothing.
  const made = useMemo(() => new Map<number, ComponentChildren>(), [row]);
  const rowAt = (index: number): ComponentChildren => {
    if (!made.has(index)) made.set(index, row(index));
    return made.get(index);
  };
  for (const index of made.keys()) if (index < first || index >= last) made.delete(index);
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
          follow(element);
        }}
      >
        <div class="window-inside" ref={inside}>
          <div class="window-rows" ref={rows}>
            {Array.from({ length: Math.max(0, last - first) }, (_, i) => rowAt(first + i))}
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
