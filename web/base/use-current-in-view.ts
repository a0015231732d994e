import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Scrolls a list, but not the page, so that its chosen row is in view when another one is chosen. */
export function useCurrentInView(box: RefObject<HTMLElement | null>, chosen: string | undefined): void {
  useEffect(() => {
    const list = box.current;
    const row = list?.querySelector('[aria-current]');
    if (list === null || row === null || row === undefined) return;
    const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
    if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
    // The middle, so that the rows around it are seen too.
    list.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  }, [chosen]);
}

/** The width from which a list and what is chosen in it are side by side. */
const WIDE_ENOUGH = '(width >= 1000px)';

/** Brings what was chosen into view where it is below the list; not when the page is opened. */
export function useChosenInView(view: RefObject<HTMLElement | null>, chosen: string | undefined): void {
  const last = useRef<string | undefined>(undefined);
  useEffect(() => {
    const isFirst = last.current === undefined;
    last.current = chosen;
    if (isFirst || chosen === undefined || matchMedia(WIDE_ENOUGH).matches) return;
    view.current?.scrollIntoView({ block: 'start' });
  }, [chosen]);
}
