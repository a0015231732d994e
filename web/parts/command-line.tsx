import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

const SHOWN_MS = 1500;

/** The command that shows the same in a terminal; a click copies it. */
export function CommandLine({ line }: { readonly line: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(line);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button type="button" class="command" title="Copy this command" onClick={() => void copy()}>
      <code>{line}</code>
      <span role="status">{isCopied ? 'copied' : ''}</span>
    </button>
  );
}
