import { join } from 'node:path';
import * as v from 'valibot';
import { unlessDamaged } from '../../base/damaged.ts';
import { canonicalJson } from '../../base/json.ts';
import { omit } from '../../base/omit.ts';
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

/** The result of a probe, with the tools for workspaces on this machine. */
export interface WorkspaceCapabilities extends WorkspaceProbe {
  /** How commands are confined; undefined if they cannot be. */
  readonly sandbox?: Sandbox;
  readonly libc?: Libc;
}

/** Tests which kind of workspace this machine and account support, and reports what is missing. */
export async function probeWorkspace(context: WorkspaceContext): Promise<WorkspaceProbe> {
  return omit(await detectCapabilities(context, { trust: false }), 'sandbox', 'libc');
}

/**
 * Tests the isolations from the strongest to the weakest, until one works. With `trust`, the stored result of an earlier test since the last boot is used, if the tools are the same.
 */
export async function detectCapabilities(
  context: WorkspaceContext,
  options: { readonly trust: boolean },
): Promise<WorkspaceCapabilities> {
  const libc = await openLibcIfPresent();
  const shared = libc === undefined ? {} : { libc };
  const problems: WorkspaceProblem[] = libc === undefined ? [NO_LIBC] : [];
  const found = CONFINING.map((kind) => findSandbox(context, kind));
  const tested = {
    boot: bootId(),
    uid: context.uid,
    folder: context.folder,
    found,
    only: context.only ?? null,
  };
  const known = options.trust && tested.boot !== '' ? readStoredProbe(context, tested) : undefined;
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
    writeStored(probePath(context), { ...tested, works }, { sync: false });
    return { ...works, ...shared };
  }
  return { mode: 'copy', isolation: 'none', sandboxed: false, scopedSignals: false, problems, ...shared };
}

/** The result of an earlier probe with the same tools, since the last boot. */
function readStoredProbe(context: WorkspaceContext, tested: object): WorkspaceCapabilities | undefined {
  // Without a stored result, or with a damaged one, the machine is probed again.
  const { works, ...stored } = unlessDamaged(() => readStored(probePath(context), STORED_PROBE)) ?? {};
  return canonicalJson(stored) === canonicalJson(tested) ? works : undefined;
}

const STORED_PROBE: DocumentShape<{ readonly works?: WorkspaceCapabilities }> = {
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

function probePath(context: WorkspaceContext): string {
  return join(context.folder, 'probe.json');
}
