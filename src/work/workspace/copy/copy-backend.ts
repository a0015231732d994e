import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { readFileIfPresent } from '../../../system/durable-file.ts';
import { removeFolder } from '../../../system/remove-folder.ts';
import type { Backend } from '../backend.ts';
import { groupByRepository } from '../group-by-repository.ts';
import { isSameEntry } from '../list-changes.ts';
import { filterIgnored } from '../list-visible.ts';
import { findEntry } from '../manifest.ts';
import { measureFolder } from '../../../system/measure-folder.ts';
import { readLiveEntry } from '../read-live-entry.ts';
import type { Sandbox } from '../sandbox/sandbox-tools.ts';
import { workspaceFolder, type WorkspaceRecord } from '../workspace-record.ts';
import type { SandboxedProcess, SpawnOptions, WorkspaceContext } from '../workspace.ts';
import { readLinks } from './copy-links.ts';
import { copyEntry } from './copy-tree.ts';
import { launchConfined, launchInSandbox, launchUnconfined } from './launch-copy.ts';
import { readCopy } from './read-copy.ts';

/** The portable backend: a run works on a copy. Without a sandbox its commands are not confined, which `fallbacks` reports. */
export function createCopyBackend(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  sandbox: Sandbox | undefined,
): Backend {
  const folder = workspaceFolder(context, record.runId);
  const { tree } = record;
  const copy = join(folder, 'copy');
  const copiedBytes = Number(readFileIfPresent(join(folder, 'copied-bytes')) ?? 0);
  const launch = (argv: readonly string[], options: SpawnOptions, at: string): SandboxedProcess => {
    if (sandbox === undefined) return launchUnconfined(argv, options, at);
    return sandbox.kind === 'landlock'
      ? launchConfined(context, record, sandbox, { argv, options, at })
      : launchInSandbox(context, record, sandbox, { argv, options, at });
  };
  return {
    start: (argv, options) => {
      if (options.layer !== 'tests') return launch(argv, options, copy);
      const layer = join(folder, 'layers/top');
      removeFolder(layer);
      cpSync(copy, layer, { recursive: true, verbatimSymlinks: true });
      const started = launch(argv, options, layer);
      return { ...started, ended: started.ended.finally(() => removeFolder(layer)) };
    },
    readFootprint: (base) => readCopy(copy, base, new Set(readLinks(folder).linked)),
    listIgnored: (paths) =>
      groupByRepository(tree.root, paths, (repository, names) =>
        filterIgnored(context, join(copy, repository), names, [
          `--git-dir=${repository === '' ? tree.gitFolder : join(tree.root, repository, '.git')}`,
          `--work-tree=${join(copy, repository)}`,
        ]),
      ),
    contentPath: (path) => join(copy, path),
    writtenBytes: () => Math.max(0, measureFolder(folder) - copiedBytes),
    syncFromTree: (paths, base) => {
      for (const path of paths) {
        const was = findEntry(base, path);
        const now = readLiveEntry(join(copy, path));
        const untouched = was === undefined ? now === undefined : now !== undefined && isSameEntry(was, now);
        if (untouched) copyEntry(join(tree.root, path), join(copy, path));
      }
    },
  };
}
