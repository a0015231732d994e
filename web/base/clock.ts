import { signal } from '@preact/signals';

/** The time, once a second: elapsed times and ages follow it together. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);
