import { ownMember } from '../../base/own-member.ts';
import type { Assessment } from '../assessment.ts';

/** Findings of one kind with the same owner. */
export interface FindingGroup {
  readonly kind: string;
  readonly owner: string;
  readonly members: readonly Assessment[];
  readonly memoryMb: number;
}

/** Groups findings by kind and owner. Groups with something to end come first, then the largest ones. */
export function groupFindings(findings: readonly Assessment[]): readonly FindingGroup[] {
  return [...Map.groupBy(findings, (finding) => `${kindOf(finding)}\n${ownerOf(finding)}`)]
    .map(([key, members]) => {
      const [kind = '', owner = ''] = key.split('\n');
      const memoryMb = members.reduce((sum, { tree }) => sum + (tree.at(-1)?.memoryMb ?? 0), 0);
      return { kind, owner, members, memoryMb };
    })
    .toSorted((left, right) => actionsIn(right) - actionsIn(left) || right.memoryMb - left.memoryMb);
}

function actionsIn({ members }: FindingGroup): number {
  return members.filter(({ recommended_action }) => recommended_action !== 'review').length;
}

const KINDS: Readonly<Record<string, string>> = {
  mcp_server: 'Tool servers',
  wrapper: 'Package runners',
  agent: 'Agents',
  dev_server: 'Development servers',
  test_runner: 'Test runners and workers',
  browser: 'Headless browsers',
  language_server: 'Language servers',
  build_daemon: 'Build daemons',
  shell: 'Shells',
  editor: 'Editors',
  database: 'Databases',
  multiplexer: 'Terminal multiplexers',
  job: 'Jobs',
  unknown: 'Other programs',
};

function kindOf({ observation: { kind, state, stem } }: Assessment): string {
  if (state === 'zombie') return 'Exited processes';
  return ownMember(KINDS, stem?.kind ?? kind) ?? kind;
}

/** Describes the owner of a finding. Findings are grouped by it, because a process with an owner is not abandoned. */
function ownerOf({ observation, superseded, ppid }: Assessment): string {
  if (superseded !== undefined) return `replaced by newer instances under process ${superseded.parent}`;
  switch (observation.anchor) {
    case 'run':
      return `an active run${idOf(observation.origin?.run?.id)}`;
    case 'ended_run':
      return `a run that has ended${idOf(observation.origin?.run?.id)}`;
    case 'agent':
      return `a running agent${idOf(observation.origin?.agent?.session)}`;
    case 'ended_agent':
      return `an agent that has exited${idOf(observation.origin?.agent?.session)}`;
    case 'terminal':
      return 'an open terminal';
    case 'parent':
      return `the running process ${ppid}`;
    case 'service':
      return 'a supervisor';
    case 'session':
      return 'none, but its session leader is running';
    case 'daemon':
      return 'none; it has its own session';
    case 'orphan':
      return 'none: parent, session leader and terminal are gone';
  }
}

function idOf(id: string | undefined): string {
  return id === undefined ? '' : `, ${id}`;
}
