import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../base/use-keys.ts';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  /** Called a moment after the last key. */
  readonly onChange: (value: string | undefined) => void;
}

const PAUSE_MS = 150;

/** A search field; `/` focuses it, Escape leaves it. */
export function SearchField({ label, value, onChange }: SearchFieldProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  useKeys({ '/': () => input.current?.focus() });
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text === '' ? undefined : text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      ref={input}
      type="search"
      class="search"
      placeholder={`${label}  /`}
      aria-label={label}
      aria-keyshortcuts="/"
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') currentTarget.blur();
      }}
    />
  );
}
