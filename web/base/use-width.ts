import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The width of an element in pixels, without its scroll bar; zero until it is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return width;
}
