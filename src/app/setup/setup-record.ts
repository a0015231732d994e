import * as v from 'valibot';
import { rmSync } from 'node:fs';
import { int } from '../../base/schema.ts';
import type { TextEdit } from '../../base/text-edit.ts';
import type { Home } from '../../contract/home.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import type { PartName, SetupHost } from './setup-part.ts';

/** What setup changed in a file: enough to restore its bytes, without a copy of what others wrote in it. */
export interface ChangedFile {
  readonly path: string;
  readonly host: SetupHost;
  readonly parts: readonly PartName[];
  readonly created: boolean;
  /** The hash of the file before the change; if it is the same, the change was not made. */
  readonly sha256_before: string;
  /** The hash of the file after the change; if it differs, others have changed the file since. */
  readonly sha256: string;
  readonly edits: readonly TextEdit[];
  /** What an earlier setup had made of the file. A setup that was killed may have left it like that. */
  readonly previous?: Pick<ChangedFile, 'sha256' | 'edits'> | undefined;
}

/** Stored in the home, so that an undo restores exactly what was there. */
export interface SetupRecord {
  readonly files: readonly ChangedFile[];
  /** Skill folders and links that did not exist before. */
  readonly skill: readonly string[];
  /** Skill folders and links that were there before; the home has copies of them. */
  readonly replaced: readonly string[];
  /** Folders that did not exist before, parents first. */
  readonly folders: readonly string[];
}

const NAME = 'setup.json';
const change = {
  sha256: v.string(),
  edits: v.array(v.object({ offset: int(), removed: v.string(), inserted: v.string() })),
};

const shape: DocumentShape<SetupRecord> = {
  schema: v.object({
    files: v.array(
      v.object({
        path: v.string(),
        host: v.string(),
        parts: v.array(v.string()),
        created: v.boolean(),
        sha256_before: v.string(),
        ...change,
        previous: v.optional(v.object(change)),
      }),
    ),
    skill: v.array(v.string()),
    replaced: v.optional(v.array(v.string()), []),
    folders: v.array(v.string()),
  }),
  hint: (path) =>
    `Delete ${path}. What setup added then stays until you remove it by hand: entries named deed, hooks of vybe, the marked paragraph.`,
};

export const EMPTY_RECORD: SetupRecord = { files: [], skill: [], replaced: [], folders: [] };

export function readSetupRecord(home: Home): SetupRecord {
  return readStored(home.at(NAME), shape) ?? EMPTY_RECORD;
}

export function writeSetupRecord(home: Home, record: SetupRecord): void {
  if (record.files.length + record.skill.length + record.replaced.length === 0) {
    rmSync(home.at(NAME), { force: true });
    return;
  }
  home.folder();
  writeStored(home.at(NAME), record);
}
