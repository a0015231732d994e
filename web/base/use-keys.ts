import { useEffect, useRef } from 'preact/hooks';

type Bindings = Readonly<Record<string, () => void>>;

const SEQUENCE_MS = 1000;

/** Binds keys such as `a`, `Escape` or the sequence `g i` while the component is shown. */
export function useKeys(bindings: Bindings): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    let first = { key: '', at: 0 };
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      // Keys are not for what a dialog covers.
      if (document.querySelector('dialog[open]') !== null) return;
      if (isTyping(event.target) && event.key !== 'Escape') return;
      const isSecond = event.timeStamp - first.at < SEQUENCE_MS;
      const sequence = isSecond ? latest.current[`${first.key} ${event.key}`] : undefined;
      const action = sequence ?? latest.current[event.key];
      first = { key: event.key, at: event.timeStamp };
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}
