import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../base/digest.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';
import { changeConfigFile, readConfigFile } from './config-file.ts';

/** `none`: the folder brings no file. `changed`: it was trusted with other content. */
export type TrustState = 'none' | 'untrusted' | 'changed' | 'trusted';

export interface FolderTrust {
  readonly file: string;
  readonly state: TrustState;
  readonly hash: string | null;
}

/**
 * Tells whether a file of a folder may be obeyed. Whoever prepared the folder wrote the file, so it counts only after this
 * account has said so, for this path and these bytes: an edit, a pull or a swapped file asks again.
 */
export function readTrust(homePath: string, file: string): FolderTrust {
  const hash = hashFile(file);
  if (hash === null) return { file, state: 'none', hash };
  const trusted = readConfigFile(trustPath(homePath)).values[file];
  if (trusted === undefined) return { file, state: 'untrusted', hash };
  return { file, state: trusted === hash ? 'trusted' : 'changed', hash };
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

function hashFile(file: string): string | null {
  try {
    return sha256(readFileSync(file));
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw faultFromSystem(error, 'read', file);
  }
}
