import { Fault } from '../base/fault.ts';
import { systemCode } from '../base/system-fault.ts';
import { findForeignAccess, findForeignLinkAbove, type ForeignAccess } from '../system/foreign-access.ts';
import type { Home } from './home.ts';
import { homeVariable, type Tool } from './tool.ts';

/** The files of a home that deed trusts or appends to; the home itself comes first. */
const CHECKED = [
  '',
  'config.json',
  'trust.json',
  'confirm.secret',
  'consumed',
  'requests',
  'keys',
  'audit',
  'audit/chain.key',
  'audit/head.json',
  'deed.db',
  'stores',
  'backups',
  'work',
  'runs',
] as const;

/**
 * Finds why a home must not be used: another account could have written its configuration, keys or logs. Costs one system call for
 * each entry, because it precedes every command.
 */
export function findHomeFault(home: Home, tool: Tool, uid: number): Fault | undefined {
  try {
    for (const entry of CHECKED) {
      const found = entry === '' ? findInPath(home.path, uid) : findForeignAccess(home.at(entry), uid);
      if (found === undefined) continue;
      return new Fault('E_CONFIG', `${found.path} ${found.problem}, so this home is not used.`, {
        hint: `${found.fix}; or set ${homeVariable(tool)} to a folder of this account.`,
        details: { path: found.path, problem: found.problem },
      });
    }
    return undefined;
  } catch (error) {
    // A home below a file, or in a folder without search permission, is reported by the first step that needs the home.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

function findInPath(path: string, uid: number): ForeignAccess | undefined {
  return findForeignLinkAbove(path, uid) ?? findForeignAccess(path, uid);
}
