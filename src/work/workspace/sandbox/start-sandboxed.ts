import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { listMachineMounts } from '../../../system/machine-mounts.ts';
import { startProgram, type StartedProgram } from '../../../system/start-program.ts';
import type { SandboxedEnd, SandboxedProcess } from '../workspace.ts';
import { renderMountScript, type OverlayMount } from './mount-script.ts';
import { renderNamespaceScript } from './namespace-script.ts';
import { renderRunAs, renderSandbox, type SandboxPlan } from './render-sandbox.ts';
import type { SandboxTools } from './sandbox-tools.ts';

export interface SandboxStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder that the paths of the overlay are relative to. */
  readonly folder: string;
  readonly mounts: readonly OverlayMount[];
  readonly plan: SandboxPlan;
  /** Whether this account is root; others mount as the root of a user namespace. */
  readonly root: boolean;
  readonly maxFileBytes?: number;
}

/**
 * Reports on descriptor 3 that the sandbox is set up, then execs the command; the shell exits with 127 if it does not exist. Modes are
 * part of the state, so the umask is the same on every machine.
 */
export const EXEC_SCRIPT = 'umask 022; echo up >&3; exec 3>&-; exec "$0" "$@"';

/** Starts a command in a sandbox with its own mounts. Contract: if the sandbox cannot be set up, it fails with E_IO. */
export function startSandboxed(tools: SandboxTools, start: SandboxStart): SandboxedProcess {
  const argv = tools.kind === 'bubblewrap' ? bubblewrapArgv(tools, start) : namespaceArgv(tools, start);
  const started = startProgram([...argv, tools.shell, '-c', EXEC_SCRIPT, ...start.argv], {
    cwd: start.folder,
    env: start.env,
    container: true,
  });
  return { ...started, ended: waitForEnd(started) };
}

/** Overlays in a mount namespace, then bubblewrap in it. */
function bubblewrapArgv(tools: SandboxTools, start: SandboxStart): readonly string[] {
  const script = renderMountScript(start.mounts, tools.mount, {
    userxattr: !start.root,
    ...(start.maxFileBytes === undefined ? {} : { maxFileBytes: start.maxFileBytes }),
  });
  return [
    ...(start.mounts.length === 0
      ? []
      : [tools.unshare, ...(start.root ? [] : ['-U', '-r']), '-m', '--propagation', 'private', '--']),
    tools.shell,
    '-c',
    script,
    'mount',
    tools.bwrap,
    ...renderSandbox(start.plan),
    '--',
    ...renderRunAs(start.plan, tools.setpriv),
  ];
}

/** All namespaces by util-linux; the outer process ends with this one, and the namespaces with it. */
function namespaceArgv(tools: SandboxTools, start: SandboxStart): readonly string[] {
  mkdirSync(join(start.folder, 'root'), { recursive: true, mode: 0o700 });
  const script = renderNamespaceScript(tools, { ...start, machine: listMachineMounts() });
  return [
    tools.setpriv,
    '--pdeathsig',
    'KILL',
    '--',
    tools.unshare,
    ...(start.root ? [] : ['-U', '-r']),
    '-mpiuC',
    ...(start.plan.network ? [] : ['-n']),
    '--propagation',
    'private',
    '--fork',
    '--kill-child',
    '--',
    tools.shell,
    '-c',
    script,
    'namespace',
  ];
}

/** Waits for the end of a command. Throws if the command never reported its start, because then it could not be confined. */
export async function waitForEnd(started: StartedProgram): Promise<SandboxedEnd> {
  let stderr = '';
  started.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < 500) stderr += chunk.toString('utf8');
  });
  const { exitCode, signal, status } = await started.ended;
  if (!isSetUp(status) && !started.killed()) {
    const reason = stderr.trim() || describeEnd(exitCode, signal);
    throw new Fault('E_IO', `The sandbox could not be set up: ${reason}`, {
      hint: 'Run `deed doctor`; it tests the sandbox and reports what is missing.',
      details: { exit_code: exitCode, signal },
    });
  }
  return { exitCode, signal };
}

/** The status also contains the report of bubblewrap, which comes before the sandbox is set up. */
function isSetUp(status: string): boolean {
  return status.split('\n').includes('up');
}

function describeEnd(exitCode: number | null, signal: string | null): string {
  const end = signal === null ? `it exited with code ${exitCode}` : `signal ${signal} terminated it`;
  return `${end} without an error message.`;
}
