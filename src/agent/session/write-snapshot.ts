import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { redact } from '../../base/secrets/redact.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import type { SessionSnapshot } from './session-snapshot.ts';

/** Writes a snapshot under its session's id, compressed and redacted. The write is atomic: a reader never sees a partial file. */
export function writeSnapshot(folder: string, snapshot: SessionSnapshot): string {
  ensurePrivateFolder(folder);
  const path = join(folder, `${snapshot.txnId ?? 'session'}.json.gz`);
  writeFileDurably(path, gzipSync(JSON.stringify(redact(snapshot))));
  return path;
}
