import { signal } from '@preact/signals';

/** The ids that changed; undefined means that everything may have changed. */
export interface Changes {
  readonly tasks: readonly string[];
  readonly events: readonly string[];
  readonly runs: readonly string[];
  readonly jobs: readonly string[];
  readonly sessions: readonly string[];
}

type Listener = (changes: Changes | undefined) => void;

/** Whether changes arrive. */
export const isLive = signal(false);

const listeners = new Set<Listener>();
let source: EventSource | undefined;

export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Lets the views read a task again that turned out to have changed, without waiting for the server to say so. */
export function noteTaskChange(id: string): void {
  notify({ tasks: [id], events: [], runs: [], jobs: [], sessions: [] });
}

/** Listens while the page is visible: a browser allows few connections to one server, and a hidden tab would hold one. */
export function startLive(): () => void {
  const follow = (): void => (document.hidden ? close() : connect());
  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    close();
  };
}

function connect(): void {
  if (source !== undefined) return;
  source = new EventSource('/api/events');
  // Also after an interruption, during which changes may have been missed.
  source.addEventListener('ready', () => {
    isLive.value = true;
    notify(undefined);
  });
  source.addEventListener('resync', () => notify(undefined));
  source.addEventListener('changes', (event: MessageEvent<string>) =>
    notify(JSON.parse(event.data) as Changes),
  );
  source.addEventListener('error', () => (isLive.value = false));
}

function close(): void {
  source?.close();
  source = undefined;
  isLive.value = false;
}

function notify(changes: Changes | undefined): void {
  for (const listener of listeners) listener(changes);
}
