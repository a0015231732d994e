import { join } from 'node:path';
import * as v from 'valibot';
import { sha256 } from '../../../system/digest.ts';
import { int } from '../../../base/schema.ts';
import { withLock } from '../../../system/lock.ts';
import { ensurePrivateFolder } from '../../../system/private-folder.ts';
import { readStored, writeStored, type DocumentShape } from '../../../system/stored-document.ts';
import { normalizeRemote } from '../../workspace/normalize-remote.ts';

/** The last entry of a ledger that this home has seen. A remote that later shows an older one was rewound. */
export interface SeenLedger {
  readonly remote: string;
  readonly commit: string;
  readonly sequence: number;
}

const SHAPE: DocumentShape<SeenLedger> = {
  schema: v.object({ remote: v.string(), commit: v.string(), sequence: int() }),
  hint: (path) =>
    `Run "deed receipt verify --ledger" on a host that has seen the ledger before. Then remove ${path}: this home reads the ledger again.`,
};

/** One file for each remote. */
export function seenPath(home: string, url: string): string {
  return join(home, 'ledgers', `${sha256(normalizeRemote(url)).slice(0, 16)}.json`);
}

export function readSeen(home: string, url: string): SeenLedger | undefined {
  return readStored(seenPath(home, url), SHAPE);
}

/** Remembers an entry, unless this home has seen a later one. */
export async function rememberLedger(
  home: string,
  url: string,
  { commit, sequence }: { readonly commit: string; readonly sequence: number },
): Promise<void> {
  if ((readSeen(home, url)?.sequence ?? 0) >= sequence) return;
  ensurePrivateFolder(join(home, 'ledgers'));
  const path = seenPath(home, url);
  await withLock(`${path}.lock`, () => {
    if ((readSeen(home, url)?.sequence ?? 0) >= sequence) return;
    writeStored(path, { remote: normalizeRemote(url), commit, sequence } satisfies SeenLedger);
  });
}
