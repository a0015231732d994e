import { Fault } from '../../../base/fault.ts';
import { startProgram, type StartedProgram } from '../../../system/start-program.ts';
import type { SandboxedEnd, SandboxedProcess } from '../workspace.ts';
import { renderMountScript, type OverlayMount } from './mount-script.ts';
import { renderBecoming, renderSandbox, type SandboxPlan } from './render-sandbox.ts';
import type { SandboxTools } from './sandbox-tools.ts';

export interface SandboxStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder that the overlay's names are relative to. */
  readonly folder: string;
  readonly mounts: readonly OverlayMount[];
  readonly plan: SandboxPlan;
  /** Whether this account is root; others mount as the root of a user namespace. */
  readonly root: boolean;
  readonly maxFileBytes?: number;
}

/**
 * Tells on descriptor 3 that the walls stand, then becomes the command; a shell gives 127 for one that is not there. Modes are part
 * of a state, so every machine runs commands with the same mask.
 */
export const BECOME = 'umask 022; echo up >&3; exec 3>&-; exec "$0" "$@"';

/** Starts a command behind walls: mount namespace, overlays, bubblewrap. Contract: walls that cannot be built are E_IO, never a run without. */
export function startSandboxed(tools: SandboxTools, start: SandboxStart): SandboxedProcess {
  const script = renderMountScript(start.mounts, tools.mount, {
    userxattr: !start.root,
    ...(start.maxFileBytes === undefined ? {} : { maxFileBytes: start.maxFileBytes }),
  });
  const started = startProgram(
    [
      ...(start.mounts.length === 0
        ? []
        : [tools.unshare, ...(start.root ? [] : ['-U', '-r']), '-m', '--propagation', 'private', '--']),
      tools.shell,
      '-c',
      script,
      'mount',
      ...start.mounts.map(({ source }) => source),
      tools.bwrap,
      ...renderSandbox(start.plan),
      '--',
      ...renderBecoming(start.plan, tools.setpriv),
      tools.shell,
      '-c',
      BECOME,
      ...start.argv,
    ],
    { cwd: start.folder, env: start.env, container: true },
  );
  return { ...started, ended: endOf(started) };
}

async function endOf(started: StartedProgram): Promise<SandboxedEnd> {
  let complaint = '';
  started.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < 500) complaint += chunk.toString('utf8');
  });
  const { exitCode, signal, status } = await started.ended;
  if (status === '' && !started.killed()) {
    throw new Fault('E_IO', `The sandbox could not be set up: ${complaint.trim()}`, {
      hint: 'Run `deed doctor`; it tries the sandbox and says what is missing.',
      details: { exit_code: exitCode },
    });
  }
  return { exitCode, signal };
}
