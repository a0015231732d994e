import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  /** All rows have the same height, including the gap. */
  readonly rowHeight: number;
  readonly keyOf: (item: T) => string;
  readonly render: (item: T, index: number) => JSX.Element;
  /** The key of the row that is scrolled into view when it changes. */
  readonly selected?: string | undefined;
  /** Called when the reader scrolls close to the end. */
  readonly onEnd?: () => void;
  readonly class?: string;
}

const OVERSCAN = 6;
const NEAR_END_ROWS = 40;

/** A scrolling list that renders only the rows in view, so that its length costs nothing. */
export function VirtualList<T>(props: VirtualListProps<T>): JSX.Element {
  const { label, items, rowHeight, keyOf, render, selected, onEnd, class: name } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  useEffect(() => {
    const element = box.current;
    const at = selected === undefined ? -1 : items.findIndex((item) => keyOf(item) === selected);
    if (element === null || at < 0) return;
    const top = at * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  }, [selected]);
  const newRows = useStableRows(box, items, keyOf, rowHeight);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN);
  const end = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN);
  const isNearEnd = end + NEAR_END_ROWS >= items.length;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, items.length]);
  return (
    <div
      ref={box}
      class={name === undefined ? 'virtual' : `virtual ${name}`}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {newRows > 0 && view.top > 0 && (
        <button type="button" class="new-rows small" onClick={() => box.current?.scrollTo({ top: 0 })}>
          ↑ {newRows} new
        </button>
      )}
      <div
        {...(items.length > 0 && { role: 'list' as const })}
        class="virtual-rows"
        style={{ height: `${items.length * rowHeight}px` }}
      >
        {items.slice(first, end).map((item, index) => (
          <div
            key={keyOf(item)}
            role="listitem"
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            class="virtual-row"
            style={{ top: `${(first + index) * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {render(item, first + index)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Keeps the rows where they are when others are added above them, and counts those until the reader is at the top again. */
function useStableRows<T>(
  box: { readonly current: HTMLDivElement | null },
  items: readonly T[],
  keyOf: (item: T) => string,
  rowHeight: number,
): number {
  const firstKey = useRef<string | undefined>(undefined);
  const [count, setCount] = useState(0);
  useLayoutEffect(() => {
    const [first] = items;
    const known = firstKey.current;
    firstKey.current = first === undefined ? undefined : keyOf(first);
    const element = box.current;
    if (element === null || known === undefined) return;
    if (element.scrollTop === 0) return setCount(0);
    const added = items.findIndex((item) => keyOf(item) === known);
    if (added <= 0) return;
    element.scrollTop += added * rowHeight;
    setCount((before) => before + added);
  }, [items]);
  return count;
}
