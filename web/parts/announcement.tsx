import { signal } from '@preact/signals';
import type { JSX } from 'preact';

const message = signal('');

/** Shows a short message, and lets screen readers read it. */
export function announce(text: string): void {
  message.value = text;
  setTimeout(() => {
    if (message.value === text) message.value = '';
  }, SHOWN_MS);
}

const SHOWN_MS = 4000;

export function Announcement(): JSX.Element {
  return (
    <div class={message.value === '' ? 'announcement' : 'announcement shown'} role="status">
      {message.value}
    </div>
  );
}
