import { writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../system/blake3.ts';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import type { GitContent } from './git-contents.ts';
import { batchesOf, readBlobs } from './landing/write-commit-files.ts';
import { CONTENT_HINT } from './object-store.ts';
import type { TreeEntry, WorkspaceContext } from './workspace.ts';

type FileInGit = TreeEntry & GitContent & { readonly path: string };

/** Writes files whose content only a repository has; their folders exist. Throws E_NOT_FOUND if it no longer has one of them. */
export async function restoreFromGit(
  context: WorkspaceContext,
  files: readonly FileInGit[],
  folder: string,
): Promise<void> {
  for (const root of new Set(files.map((file) => file.root))) {
    const own = files.filter((file) => file.root === root);
    const entries = own.map((file) => ({ ...file, mode: '', bits: file.mode, bytes: file.size }));
    for (const batch of batchesOf(entries)) {
      const contents = await readBlobs(context, root, batch).catch((error: unknown) => {
        throw noLongerThere(root, error);
      });
      for (const [index, { path, hash, bits }] of batch.entries()) {
        const content = contents[index] ?? Buffer.alloc(0);
        if (blake3Hex(content) !== hash)
          throw damaged(root, `its blob for ${path} differs from ${hash}`, CONTENT_HINT);
        writeFileSync(join(folder, path), content, { flag: 'wx', mode: 0o600 });
        chmodSync(join(folder, path), bits);
      }
    }
  }
}

function noLongerThere(root: string, cause: unknown): Fault {
  return new Fault('E_NOT_FOUND', `The repository ${root} no longer has the state before the run.`, {
    hint: 'The state of a large tree is not copied; its commits must still exist. The receipt is still valid.',
    details: { path: root },
    cause,
  });
}
