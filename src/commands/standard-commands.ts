import type { CommandLoader } from '../contract/command-table.ts';

/**
 * Commands that every tool built on the kernel has. They are separate from the other tables, so that the kernel library contains no
 * commands of deed.
 */
export const STANDARD_COMMANDS: Readonly<Record<string, CommandLoader>> = {
  reference: () => import('./reference.ts'),
  context: () => import('./context.ts'),
  doctor: () => import('./doctor/doctor.ts'),
  changelog: () => import('./changelog.ts'),
  completion: () => import('./completion/completion.ts'),
  man: () => import('./man.ts'),
  'audit list': () => import('./audit/list.ts'),
  'audit export': () => import('./audit/export.ts'),
  'audit verify': () => import('./audit/verify.ts'),
  'config get': () => import('./config/get.ts'),
  'config list': () => import('./config/list.ts'),
  'config set': () => import('./config/set.ts'),
  'config unset': () => import('./config/unset.ts'),
  'config trust': () => import('./config/trust.ts'),
};
