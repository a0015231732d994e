import { signal } from '@preact/signals';
import { loadSession, session } from './session.ts';

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
/** Since when a page that was live gets no changes: what it shows may be old. */
export const staleSince = signal<number | undefined>(undefined);

/** The server sends something at least every five seconds. A connection that a sleeping machine lost has no error. */
const SILENT_MS = 15_000;
const CHECK_MS = 2500;
const RETRY_MS = 3000;

const listeners = new Set<Listener>();
let source: EventSource | undefined;
let heardAt = 0;
let retry: ReturnType<typeof setTimeout> | undefined;

export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Lets the views read a task again that turned out to have changed, without waiting for an event of the server. */
export function noteTaskChange(id: string): void {
  notify({ tasks: [id], events: [], runs: [], jobs: [], sessions: [] });
}

/** Listens while the page is visible: a browser allows few connections to one server, and a hidden tab would hold one. */
export function startLive(): () => void {
  const follow = (): void => (document.hidden ? close() : connect());
  const check = setInterval(() => {
    if (source === undefined || Date.now() - heardAt < SILENT_MS) return;
    disconnect();
    connect();
  }, CHECK_MS);
  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    clearInterval(check);
    document.removeEventListener('visibilitychange', follow);
    close();
    staleSince.value = undefined;
  };
}

function connect(): void {
  if (source !== undefined) return;
  clearTimeout(retry);
  const opened = new EventSource('/api/events');
  source = opened;
  heardAt = Date.now();
  const on = (type: string, action: (event: MessageEvent<string>) => void): void =>
    opened.addEventListener(type, (event: MessageEvent<string>) => {
      heardAt = Date.now();
      action(event);
    });
  // Also after an interruption, during which changes may have been missed.
  on('ready', () => {
    isLive.value = true;
    staleSince.value = undefined;
    notify(undefined);
  });
  on('quiet', () => undefined);
  on('resync', () => notify(undefined));
  on('changes', ({ data }) => notify(JSON.parse(data) as Changes));
  opened.addEventListener('error', () => {
    if (source !== opened) return;
    isLive.value = false;
    staleSince.value ??= heardAt;
    // The browser connects again by itself, unless the server refused.
    if (opened.readyState === EventSource.CLOSED) void reconnectLater();
  });
}

/** A server that was started again does not know this browser: then the page asks to sign in. */
async function reconnectLater(): Promise<void> {
  disconnect();
  await loadSession();
  if (session.value !== null) retry = setTimeout(() => document.hidden || connect(), RETRY_MS);
}

function disconnect(): void {
  staleSince.value ??= heardAt;
  close();
}

function close(): void {
  clearTimeout(retry);
  source?.close();
  source = undefined;
  isLive.value = false;
}

function notify(changes: Changes | undefined): void {
  for (const listener of listeners) listener(changes);
}
