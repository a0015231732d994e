import * as v from 'valibot';
import { damaged } from '../base/damaged.ts';
import { sha256 } from './digest.ts';
import { isPlainObject } from '../base/json.ts';
import { writeFileDurably } from './durable-file.ts';
import { readOwnText } from './own-file.ts';

/** What readers of a kind of document rely on, and what to do about a damaged one. */
export interface DocumentShape<T> {
  readonly schema: v.GenericSchema;
  /** How to fix a damaged document, for a path. */
  readonly hint: (path: string) => string;
  /** Only for the type: the schema covers what readers rely on, not every member. */
  readonly type?: T;
}

/** A time in a stored document. */
export function timestamp() {
  return v.pipe(
    v.string(),
    v.check((text) => !Number.isNaN(Date.parse(text))),
  );
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a stored document; undefined if the file does not exist. Damage is E_DAMAGED with the path. */
export function readStored<T>(path: string, shape: DocumentShape<T>): T | undefined {
  const text = readOwnText(path, { maxBytes: MAX_BYTES, hint: shape.hint(path) });
  return text === undefined ? undefined : parseStored(path, text, shape);
}

/** Parses a stored document: its checksum, if it has one, and its shape. Files of version 0.1.0 have no checksum. */
export function parseStored<T>(path: string, text: string, shape: DocumentShape<T>): T {
  const report = (problem: string, cause?: unknown): never => {
    throw damaged(path, problem, shape.hint(path), cause);
  };
  const { sha256: checksum, ...document } = parseObject(text, report);
  if (checksum !== undefined && checksum !== sha256(JSON.stringify(document)))
    report('it does not match its checksum');
  const result = v.safeParse(shape.schema, document);
  if (!result.success)
    report(`"${v.getDotPath(result.issues[0]) ?? ''}" is missing or invalid`, result.issues[0]);
  return document as T;
}

function parseObject(
  text: string,
  report: (problem: string, cause?: unknown) => never,
): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return report('it is truncated or not JSON', error);
  }
  return isPlainObject(value) ? value : report('it is not a JSON object');
}

/** Replaces a document atomically; its last member is the checksum of the others. */
export function writeStored(path: string, document: object, options: { readonly sync?: boolean } = {}): void {
  writeFileDurably(path, renderStored(document), options);
}

/** Renders a document with its checksum, by default on several lines. */
export function renderStored(document: object, indent = 2): string {
  const checksum = sha256(JSON.stringify(document));
  return `${JSON.stringify({ ...document, sha256: checksum }, null, indent)}\n`;
}
