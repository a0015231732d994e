import { resolveLink } from '../../system/resolve-link.ts';
import { sha256 } from '../../system/digest.ts';
import { Fault } from '../../base/fault.ts';
import { applyEdits, invertEdits, type TextEdit } from '../../base/text-edit.ts';
import { assertOwner } from '../../continuity/hooks/hook-files.ts';
import { readBytesIfPresent } from '../../system/durable-file.ts';
import { unreadable, type FilePart, type SetupHost } from './setup-part.ts';
import type { ChangedFile, SetupRecord } from './setup-record.ts';

/** The state files of some hosts are large. */
const MAX_BYTES = 64 * 1024 * 1024;

/** One file of a host as it is and as it will be. */
export interface FileChange {
  readonly path: string;
  /** The parts that are added or removed. */
  readonly parts: readonly FilePart[];
  readonly before: string | undefined;
  /** Undefined if the file is to be deleted. */
  readonly after: string | undefined;
  /** What is recorded about it afterwards; undefined if nothing of ours is left. */
  readonly recorded: ChangedFile | undefined;
}

export interface SkippedHost {
  readonly host: SetupHost;
  readonly fault: Fault;
}

/** Plans for several hosts. One whose files cannot be changed does not stop the others; it throws only if there is no other. */
export function planEach<T extends { readonly host: SetupHost }>(
  owners: readonly T[],
  plan: (owner: T) => readonly FileChange[],
): { readonly files: readonly FileChange[]; readonly skipped: readonly SkippedHost[] } {
  const files: FileChange[] = [];
  const skipped: SkippedHost[] = [];
  for (const owner of owners) {
    try {
      files.push(...plan(owner));
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      skipped.push({ host: owner.host, fault });
    }
  }
  const [first] = skipped;
  if (first !== undefined && skipped.length === owners.length) throw first.fault;
  return { files, skipped };
}

/** Plans the files in which a part is missing. Contract: reads only. */
export function planFiles(
  parts: readonly FilePart[],
  all: readonly FilePart[],
  record: SetupRecord,
): readonly FileChange[] {
  return [...new Set(parts.map(({ path }) => path))].flatMap((named) => {
    const { path, text } = readTarget(named);
    const missing = parts.filter((part) => part.path === named && part.add(text ?? '').length > 0);
    if (missing.length === 0) return [];
    assertOwner(named);
    const own = record.files.find((file) => file.path === path);
    const earlier = all.filter((part) => part.path === named && own?.parts.includes(part.part));
    const added = all.filter((part) => missing.includes(part) || earlier.includes(part));
    // Relative to the file without our parts, so that one undo removes the parts that several calls added.
    const base = own === undefined ? (text ?? '') : withoutOwn(text ?? '', own, earlier);
    const edits = editsOf(added, base);
    const after = applyEdits(base, edits);
    const recorded: ChangedFile = {
      path,
      host: added[0]?.host ?? 'claude',
      parts: added.map(({ part }) => part),
      created: text === undefined || (own?.created ?? false),
      sha256_before: sha256(base),
      sha256: sha256(after),
      edits,
      previous: own && statesOf(own).find((state) => state.sha256 === sha256(text ?? '')),
    };
    return [{ path, parts: missing, before: text, after, recorded }];
  });
}

/** Plans to remove the recorded parts. A file that others have changed since keeps their changes. Contract: reads only. */
export function planUndo(files: readonly ChangedFile[], all: readonly FilePart[]): readonly FileChange[] {
  return files.map((own) => {
    const { path, text } = readTarget(own.path);
    const parts = all.filter((part) => part.host === own.host && own.parts.includes(part.part));
    if (text === undefined) return { path, parts, before: text, after: text, recorded: undefined };
    const rest = withoutOwn(text, own, parts);
    const isEmpty = own.created && /^(?:\s*|\s*\{\s*\}\s*)$/u.test(rest);
    return { path, parts, before: text, after: isEmpty ? undefined : rest, recorded: undefined };
  });
}

/** The text before setup, byte for byte, if the file has not changed since; otherwise the text without our entries. */
function withoutOwn(text: string, own: ChangedFile, parts: readonly FilePart[]): string {
  const hash = sha256(text);
  const state = statesOf(own).find((known) => known.sha256 === hash);
  if (state !== undefined) return applyEdits(text, invertEdits(state.edits));
  // A setup that was killed has recorded the change, but not made it.
  if (hash === own.sha256_before) return text;
  return parts.reduce((rest, part) => applyEdits(rest, part.remove(rest)), text);
}

/** The states in which setup left a file: after its last call, and after the one before. */
function statesOf({
  sha256: hash,
  edits,
  previous,
}: ChangedFile): readonly Pick<ChangedFile, 'sha256' | 'edits'>[] {
  return [{ sha256: hash, edits }, ...(previous === undefined ? [] : [previous])];
}

function editsOf(parts: readonly FilePart[], base: string): readonly TextEdit[] {
  let text = base;
  return parts.flatMap((part) => {
    const edits = part.add(text);
    text = applyEdits(text, edits);
    return edits;
  });
}

/** Symbolic links, such as those into a folder of dotfiles, stay; their target is changed. */
function readTarget(named: string): { readonly path: string; readonly text: string | undefined } {
  const path = resolveLink(named);
  const bytes = readBytesIfPresent(path, MAX_BYTES);
  const text = bytes?.toString('utf8');
  if (bytes !== undefined && !Buffer.from(text ?? '').equals(bytes))
    throw unreadable(path, 'is not valid UTF-8');
  return { path, text };
}
