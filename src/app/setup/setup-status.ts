import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import { bundledSkill } from './bundled-skill.ts';
import { HOSTS } from './host-parts.ts';
import { planSetup, partsOf, type SetupScope } from './set-up.ts';
import { PART_NAMES, type PartName, type SetupHost } from './setup-part.ts';
import { outdatedSkillFolders, skillFolders } from './skill-part.ts';

export interface PartStatus {
  readonly part: PartName;
  readonly status: 'ready' | 'missing' | 'unsupported';
  readonly path: string | null;
  readonly note: string | null;
}

export interface HostStatus {
  readonly host: SetupHost;
  readonly name: string;
  readonly ready: boolean;
  readonly parts: readonly PartStatus[];
}

/** Which parts each host has, and which are missing. Contract: reads only. */
export function readSetupStatus(
  { hosts, parts }: SetupScope,
  context: CommandContext,
): readonly HostStatus[] {
  return hosts.map((host) => {
    const rows = PART_NAMES.filter((part) => parts.includes(part)).map((part) =>
      statusOf(host, part, context),
    );
    return {
      host,
      name: HOSTS[host].title,
      ready: rows.every(({ status }) => status !== 'missing'),
      parts: rows,
    };
  });
}

function statusOf(host: SetupHost, part: PartName, context: CommandContext): PartStatus {
  const { system } = context;
  if (part === 'skill') {
    const folders = skillFolders([host], system);
    const isMissing = outdatedSkillFolders(folders, bundledSkill()).length > 0;
    return {
      part,
      status: isMissing ? 'missing' : 'ready',
      path: folders.linked[0] ?? folders.canonical,
      note: null,
    };
  }
  const own = partsOf([host], system).find((candidate) => candidate.part === part);
  if (own === undefined)
    return { part, status: 'unsupported', path: null, note: HOSTS[host].without?.[part] ?? null };
  try {
    const isMissing = planSetup({ hosts: [host], parts: [part] }, context).files.length > 0;
    return { part, status: isMissing ? 'missing' : 'ready', path: own.path, note: null };
  } catch (error) {
    // E_DAMAGED is the record of setup itself, not a file of the host.
    if (!(error instanceof Fault) || error.code === 'E_DAMAGED') throw error;
    return { part, status: 'missing', path: own.path, note: error.message };
  }
}
