import * as v from 'valibot';
import { int, record } from '../../base/schema.ts';
import { commitId } from '../receipt/commit-id.ts';
import { CHANGE } from '../workspace/entry-schemas.ts';
import type { TreeChange } from '../workspace/workspace.ts';
import type { SharedDocuments } from './shared-documents.ts';

/** Which attempt a session belongs to, and what its workspace started from. */
export interface SessionPlace {
  readonly jobId: string;
  readonly itemId: string;
  readonly round: number;
  readonly attempt: number;
  readonly base: string;
}

/** A part of a session: records, and the workspace after the last of them. */
export interface SessionPart extends SessionPlace {
  readonly number: number;
  readonly lines: readonly string[];
  /** The changes of the workspace; null if it is as it was at the start. */
  readonly tree: KeptTree | null;
  /** Contents of changed files that no earlier part has. */
  readonly contents?: KeptContents;
}

/** Contents of files in base64, by their hash. */
export type KeptContents = Readonly<Record<string, string>>;

export interface KeptTree {
  /** The commit with the contents that no part has; null if there are none. */
  readonly commit: string | null;
  readonly changes: readonly TreeChange[];
  /** Changed paths that git ignores; the commit does not have them. */
  readonly ignored: number;
}

/** A session that can be continued. */
export interface KeptSession extends SessionPlace {
  readonly lines: readonly string[];
  readonly tree: KeptTree | null;
  readonly contents: KeptContents;
}

const KEEP_SECONDS = 7 * 86_400;

const SCHEMA = v.object({
  jobId: v.string(),
  itemId: v.string(),
  round: int(),
  attempt: int(),
  base: commitId(),
  number: int(),
  lines: v.array(v.string()),
  tree: v.nullable(v.object({ commit: v.nullable(commitId()), changes: v.array(CHANGE), ignored: int() })),
  contents: v.optional(record(v.string())),
});

const LATER = v.object({ attempt: int() });

export function putSessionPart(documents: SharedDocuments, part: SessionPart): Promise<void> {
  const place = { kind: 'sessions', group: groupOf(part), name: `${part.attempt}/${part.number}` } as const;
  return documents.put(place, part, KEEP_SECONDS);
}

/** Reads the session of the latest attempt of this round that stored one. Sessions of other rounds started on another base. */
export async function readKeptSession(
  documents: SharedDocuments,
  { jobId, itemId, round }: Pick<SessionPlace, 'jobId' | 'itemId' | 'round'>,
): Promise<KeptSession | undefined> {
  const found = (await documents.read('sessions', groupOf({ jobId, itemId }))).flatMap(({ value }) => {
    const parsed = v.safeParse(SCHEMA, value);
    return parsed.success && parsed.output.round === round ? [value as SessionPart] : [];
  });
  const attempt = found.reduce((latest, part) => Math.max(latest, part.attempt), 0);
  const parts = found
    .filter((part) => part.attempt === attempt && part.itemId === itemId)
    .toSorted((left, right) => left.number - right.number);
  const last = parts.at(-1);
  // A part that is missing, or cannot be read, makes the rest useless.
  if (last === undefined || parts.some(({ number }, index) => number !== index)) return undefined;
  const { number: _, ...session } = last;
  return {
    ...session,
    lines: parts.flatMap(({ lines }) => lines),
    contents: Object.assign({}, ...parts.map(({ contents }) => contents)) as KeptContents,
  };
}

/** Removes what this attempt and earlier ones stored. A later one may run already: this worker may have been stopped for a while. */
export function removeSession(
  documents: SharedDocuments,
  { attempt, ...item }: Pick<SessionPlace, 'jobId' | 'itemId' | 'attempt'>,
): Promise<void> {
  const isLater = (value: unknown): boolean => v.is(LATER, value) && value.attempt > attempt;
  return documents.remove('sessions', groupOf(item), (value) => !isLater(value));
}

function groupOf({ jobId, itemId }: Pick<SessionPlace, 'jobId' | 'itemId'>): string {
  return `${jobId}/${itemId}`;
}
