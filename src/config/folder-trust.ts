import { join } from 'node:path';
import { sha256 } from '../system/digest.ts';
import type { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import { readFileIfPresent } from '../system/durable-file.ts';
import { changeConfigFile, readConfigFile } from './config-file.ts';

/** `none`: the folder has no such file. `changed`: it was trusted with different content. */
export type TrustState = 'none' | 'untrusted' | 'changed' | 'trusted';

export interface FolderTrust {
  readonly file: string;
  readonly state: TrustState;
  readonly hash: string | null;
  /** The content that the hash belongs to. Only this may be used: the file may have changed since. */
  readonly text: string | null;
  /** Why the file could not be read. */
  readonly problem?: Fault;
}

/**
 * Reads whether a folder's file is trusted. The folder may come from anyone, so its file is used only after this account has
 * trusted this path with these bytes: after an edit, a pull or a replaced file it must be trusted again. A file that cannot be
 * read, such as a pipe or a huge file, is not trusted and is not an error.
 */
export function readFolderTrust(homePath: string, file: string): FolderTrust {
  const found = readFolderFile(file);
  const { text = null } = found;
  if (text === null && found.problem === undefined) return { file, state: 'none', hash: null, text };
  const hash = text === null ? null : sha256(text);
  const trusted = readConfigFile(trustPath(homePath)).values[file];
  const state = trusted === undefined ? 'untrusted' : trusted === hash ? 'trusted' : 'changed';
  return { ...found, file, state, hash, text };
}

/** Records that a file with this content is trusted. */
export async function recordTrust(homePath: string, file: string, hash: string): Promise<void> {
  await changeConfigFile(trustPath(homePath), ({ values }) => ({ ...values, [file]: hash }));
}

/** Removes the trust of a file. */
export async function removeTrust(homePath: string, file: string): Promise<void> {
  await changeConfigFile(trustPath(homePath), ({ values }) => {
    const { [file]: _, ...rest } = values;
    return rest;
  });
}

function trustPath(homePath: string): string {
  return join(homePath, 'trust.json');
}

function readFolderFile(file: string): { readonly text?: string | undefined; readonly problem?: Fault } {
  try {
    return { text: readFileIfPresent(file) };
  } catch (error) {
    return { problem: faultFromSystem(error, 'read', file) };
  }
}
