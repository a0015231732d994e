import { join } from 'node:path';
import * as v from 'valibot';
import { unlessDamaged } from '../../base/damaged.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Libc } from '../../system/libc/libc.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { bootId } from '../../system/process-identity.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { findSandbox, NO_LIBC } from './find-sandbox.ts';
import { CONFINING } from './isolation.ts';
import { openLibcIfPresent } from './open-libc.ts';
import type { Sandbox } from './sandbox/sandbox-tools.ts';
import { tryIsolation } from './try-isolation.ts';
import type { WorkspaceContext, WorkspaceProbe, WorkspaceProblem } from './workspace.ts';

/** The tools for workspaces on this machine. */
export interface WorkspaceCapabilities extends WorkspaceProbe {
  /** How commands are confined; undefined if they cannot be. */
  readonly sandbox?: Sandbox;
  readonly libc?: Libc;
}

/** Tests which kind of workspace this machine and account support, and reports what is missing. */
export async function probeWorkspace(context: WorkspaceContext): Promise<WorkspaceProbe> {
  const { sandbox: _, libc: __, ...probe } = await detectCapabilities(context, { trust: false });
  return probe;
}

/**
 * Tests the isolations from the strongest to the weakest, until one works; with `trust`, the result since the last boot is used again.
 */
export async function detectCapabilities(
  context: WorkspaceContext,
  options: { readonly trust: boolean },
): Promise<WorkspaceCapabilities> {
  const libc = await openLibcIfPresent();
  const shared = libc === undefined ? {} : { libc };
  const problems: WorkspaceProblem[] = libc === undefined ? [NO_LIBC] : [];
  const found = CONFINING.map((kind) => findSandbox(context, kind));
  const mark = {
    boot: bootId(),
    uid: context.uid,
    folder: context.folder,
    found,
    only: context.only ?? null,
  };
  const known = options.trust && mark.boot !== '' ? readMark(context, mark) : undefined;
  if (known !== undefined) return { ...known, problems: [...problems, ...known.problems], ...shared };
  if (context.platform === 'linux') ensurePrivateFolder(context.folder);
  for (const each of found) {
    const result = await tryIsolation(context, each, libc);
    if ('problem' in result) {
      problems.push(result.problem);
      continue;
    }
    const { reported, ...found } = result;
    const works = { ...found, sandboxed: true, problems: reported ? problems : [] };
    writeStored(markPath(context), { ...mark, works }, { sync: false });
    return { ...works, ...shared };
  }
  return { mode: 'copy', isolation: 'none', sandboxed: false, scopedSignals: false, problems, ...shared };
}

/** The result of an earlier probe with the same tools, since the last boot. */
function readMark(context: WorkspaceContext, mark: object): WorkspaceCapabilities | undefined {
  // Without a mark, or with a damaged one, the machine is probed again.
  const { works, ...kept } = unlessDamaged(() => readStored(markPath(context), MARK)) ?? {};
  return canonicalJson(kept) === canonicalJson(mark) ? works : undefined;
}

const MARK: DocumentShape<{ readonly works?: WorkspaceCapabilities }> = {
  hint: (path) => `Remove ${path}; it is written again.`,
  schema: v.object({
    works: v.object({
      mode: v.picklist(['overlay', 'copy']),
      isolation: v.picklist(['bubblewrap', 'namespace', 'landlock']),
      sandboxed: v.literal(true),
      problems: v.array(v.object({ what: v.string(), fix: v.string() })),
    }),
  }),
};

function markPath(context: WorkspaceContext): string {
  return join(context.folder, 'probe.json');
}
