import { equalInConstantTime } from '../../base/digest.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { signContent } from '../../system/sign-content.ts';

/** Which document of which session a file is; a file that was copied over another one does not pass for it. */
export interface SealContext {
  readonly key: Uint8Array;
  readonly sessionId: string;
  readonly name: string;
}

/** A snapshot of a machine with tens of thousands of processes is below this. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Writes a document with a seal that only this account can make. */
export function writeSealed(path: string, document: object, context: SealContext): void {
  const body = JSON.stringify(document);
  const seal = sealOf(body, context);
  const separator = body === '{}' ? '' : ',';
  writeFileDurably(path, `${body.slice(0, -1)}${separator}"seal":"${seal}"}\n`);
}

/**
 * Reads a document back; nothing when it is not there. Whatever acts on processes rests on these files, so one that was changed,
 * cut short or put here from elsewhere is refused.
 */
export function readSealed(path: string, context: SealContext): Record<string, unknown> | undefined {
  const text = readFileIfPresent(path, MAX_BYTES);
  if (text === undefined) return undefined;
  const value = parseObject(text);
  if (value === undefined) throw tampered(context, 'is not whole');
  const { seal, ...document } = value;
  // Parsing keeps the order of members, so writing them again gives the bytes that were sealed.
  const expected = sealOf(JSON.stringify(document), context);
  if (typeof seal !== 'string' || !equalInConstantTime(seal, expected))
    throw tampered(context, 'was changed after it was written');
  return document;
}

function sealOf(body: string, { key, sessionId, name }: SealContext): string {
  return signContent(key, `${sessionId}\n${name}\n${body}`);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function tampered({ sessionId, name }: SealContext, problem: string): Fault {
  return new Fault('E_INTEGRITY', `${name} of session ${sessionId} ${problem}; nothing is done with it.`, {
    hint: 'Make a fresh plan.',
    details: { session_id: sessionId, document: name, problem },
  });
}
