import { join } from 'node:path';
import { sha256 } from '../base/digest.ts';
import type { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import { readFileIfPresent } from '../system/durable-file.ts';
import { changeConfigFile, readConfigFile } from './config-file.ts';

/** `none`: the folder brings no file. `changed`: it was trusted with other content. */
export type TrustState = 'none' | 'untrusted' | 'changed' | 'trusted';

export interface FolderTrust {
  readonly file: string;
  readonly state: TrustState;
  readonly hash: string | null;
  /** The content that the hash belongs to. Only this may be obeyed: the file itself can be another one by now. */
  readonly text: string | null;
  /** Why there is no content although there is something in its place. */
  readonly problem?: Fault;
}

/**
 * Tells whether a file of a folder may be obeyed. Whoever prepared the folder wrote the file, so it counts only after this
 * account has said so, for this path and these bytes: an edit, a pull or a swapped file asks again. What cannot be read, a
 * pipe or a huge file, is not trusted and stands in nobody's way.
 */
export function readTrust(homePath: string, file: string): FolderTrust {
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

/** Forgets that a file was trusted. */
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
