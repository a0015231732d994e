import type { Reads, Streams, Writes } from './commands.ts';

/** A fault of a command, or of the connection to the server. */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    { hint, ...details }: { readonly hint?: string; readonly [name: string]: unknown } = {},
  ) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.details = details;
  }
}

/** What a write would change, and the token that lets it happen once. */
export interface Preview {
  readonly changes: readonly {
    readonly action: string;
    readonly resource: string;
    readonly id: string;
    readonly after?: unknown;
  }[];
  readonly token: string;
}

/** The codes of failures that have no envelope. */
export const SIGNED_OUT = 'SIGNED_OUT';
export const OFFLINE = 'OFFLINE';

export async function read<C extends keyof Reads>(
  command: C,
  parameters: Reads[C]['input'],
  signal?: AbortSignal,
): Promise<Reads[C]['output']> {
  return (await call({ command, parameters }, signal)) as Reads[C]['output'];
}

/** The dry run of a write. */
export async function preview<C extends keyof Writes>(
  command: C,
  parameters: Writes[C]['input'],
): Promise<Preview> {
  const data = (await call({ command, parameters, dry_run: true })) as {
    readonly preview: Pick<Preview, 'changes'>;
    readonly confirm_token: string;
  };
  return { changes: data.preview.changes, token: data.confirm_token };
}

/** Makes the write that a preview showed; `dangerous` for one that cannot be undone. */
export async function confirm<C extends keyof Writes>(
  command: C,
  parameters: Writes[C]['input'],
  token: string,
  dangerous = false,
): Promise<Writes[C]['output']> {
  return (await call({ command, parameters, confirm: token, dangerous })) as Writes[C]['output'];
}

const RETRY_MS = 500;

/**
 * A write to the journal: without a dry run, because nothing in the journal is lost. When the connection breaks it is sent again with the
 * same request id, so that it happens once.
 */
export async function write<C extends keyof Writes>(
  command: C,
  parameters: Writes[C]['input'],
): Promise<Writes[C]['output']> {
  const body = { command, parameters, request_id: crypto.randomUUID() };
  const attemptCall = async (): Promise<Writes[C]['output']> => (await call(body)) as Writes[C]['output'];
  try {
    return await attemptCall();
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== OFFLINE) throw error;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return attemptCall();
  }
}

/** Yields the items of a stream until it ends or the signal aborts. */
export async function* items<C extends keyof Streams>(
  command: C,
  parameters: Streams[C]['input'],
  signal: AbortSignal,
): AsyncGenerator<Streams[C]['output']> {
  const response = await send('/api/call', { command, parameters }, signal);
  if (response.headers.get('content-type') !== STREAM_TYPE) unwrap(await response.json());
  for await (const { type, ...envelope } of readLines(response)) {
    const data = unwrap(envelope);
    if (type === 'item') yield data as Streams[C]['output'];
  }
}

/** Yields the items of several streams of a command over one connection, until all of them end; one that fails has no more items. */
export async function* itemsOfAll<C extends keyof Streams>(
  command: C,
  parameters: readonly Streams[C]['input'][],
  signal: AbortSignal,
): AsyncGenerator<{ readonly index: number; readonly item: Streams[C]['output'] }> {
  const calls = parameters.map((each) => ({ command, parameters: each }));
  const response = await send('/api/follow', { calls }, signal);
  for await (const { type, call: index = 0, data } of readLines(response))
    if (type === 'item') yield { index, item: data as Streams[C]['output'] };
}

const STREAM_TYPE = 'application/x-ndjson';

interface StreamLine extends Envelope {
  readonly type: string;
  /** Which of several calls it belongs to. */
  readonly call?: number;
}

async function* readLines(response: Response): AsyncGenerator<StreamLine> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return;
    const lines = `${rest}${part.value}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as StreamLine;
  }
}

export interface SessionInfo {
  readonly user: string;
  readonly host: string;
  readonly version: string;
  readonly read_only: boolean;
  readonly can_decide: boolean;
}

/** Null when this browser is not signed in. */
export async function readSession(): Promise<SessionInfo | null> {
  const response = await attempt(() => fetch('/api/session'));
  if (!response.ok) throw await httpError(response);
  return (await response.json()) as SessionInfo | null;
}

export async function signIn(secret: string): Promise<void> {
  await send('/api/sign-in', { secret });
}

export async function signOut(): Promise<void> {
  await send('/api/sign-out', {});
}

interface Envelope {
  readonly ok: boolean;
  readonly data?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details: { readonly hint?: string; readonly [name: string]: unknown };
  };
}

async function call(body: object, signal?: AbortSignal): Promise<unknown> {
  const response = await send('/api/call', body, signal);
  return unwrap((await response.json()) as Envelope);
}

function unwrap({ ok, data, error }: Envelope): unknown {
  if (ok || error === undefined) return data;
  throw new CallError(error.code, error.message, error.details);
}

async function send(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const response = await attempt(() =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    }),
  );
  if (!response.ok) throw await httpError(response);
  return response;
}

async function attempt(request: () => Promise<Response>): Promise<Response> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new CallError(OFFLINE, 'The server does not answer.', { hint: 'Start it again: deed web' });
  }
}

async function httpError(response: Response): Promise<CallError> {
  const { message } = (await response.json().catch(() => ({}))) as { readonly message?: string };
  const code = response.status === 401 ? SIGNED_OUT : `HTTP_${response.status}`;
  return new CallError(code, message ?? `The server answered with ${response.status}.`);
}
