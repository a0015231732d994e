import type { Confining } from './isolation.ts';
import { findSandboxTools, type Sandbox } from './sandbox/sandbox-tools.ts';
import type { WorkspaceContext, WorkspaceProblem } from './workspace.ts';

/** An isolation that may work on this machine, or why it cannot. */
export type IsolationCandidate = { readonly kind: Confining } & (
  | { readonly sandbox: Sandbox }
  | { readonly missing: WorkspaceProblem }
);

/** Finds the programs of an isolation, without testing it. */
export function findSandbox(context: WorkspaceContext, kind: Confining): IsolationCandidate {
  if (context.platform !== 'linux') return { kind, missing: notLinux(context.platform) };
  if (context.only !== undefined && context.only !== kind) return { kind, missing: notChosen(context.only) };
  if (kind === 'landlock')
    return context.confine === undefined
      ? { kind, missing: NO_CONFINER }
      : { kind, sandbox: { kind, confine: context.confine } };
  const found = findSandboxTools(context, kind);
  return 'tools' in found
    ? { kind, sandbox: found.tools }
    : { kind, missing: missingTools(kind, found.missing) };
}

export const NO_LIBC: WorkspaceProblem = {
  what: 'The C library is unavailable, so locks and file exchanges are weaker.',
  fix: 'Use Linux with glibc or musl, and install the package koffi.',
};

const NO_CONFINER: WorkspaceProblem = {
  what: 'The deed executable was not found, so Landlock cannot be used.',
  fix: 'Install deed-cli with its optional dependencies, or put deed on the PATH.',
};

export function oldLandlock(abi: number): WorkspaceProblem {
  const what =
    abi === 0
      ? 'This kernel has no Landlock.'
      : `This kernel has version ${abi} of Landlock, which cannot protect files from being truncated.`;
  return { what, fix: 'Use Linux 6.2 or later with Landlock enabled (lsm=landlock).' };
}

function notLinux(platform: string): WorkspaceProblem {
  return { what: `The sandbox requires Linux; this is ${platform}.`, fix: 'Use Linux.' };
}

function notChosen(only: Confining): WorkspaceProblem {
  return {
    what: `The setting work.isolation allows only ${only}.`,
    fix: 'Use the best isolation of this machine: deed config set work.isolation best',
  };
}

function missingTools(kind: Confining, names: readonly string[]): WorkspaceProblem {
  const fix =
    kind === 'bubblewrap'
      ? 'Install bubblewrap (Debian, Ubuntu: `apt-get install bubblewrap`).'
      : 'Install util-linux.';
  return { what: `${names.join(', ')} not found, so ${kind} cannot be used.`, fix };
}
