import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { settingsOf } from '../../config/settings-of.ts';
import type { Settings } from '../../config/read-settings.ts';
import type { CommandContext } from '../../contract/command.ts';
import { DEFAULT_PATTERNS } from '../../work/admission/classify-changes.ts';
import { checkAgents } from '../../work/executors/agent-config.ts';
import type { RunJournal } from '../../work/journal/run-journal.ts';
import type { StagedJournal } from '../../work/journal/staged-journal.ts';
import type { WorkEvent } from '../../work/run/work-event.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { CONFINING } from '../../work/workspace/isolation.ts';
import type { WorkspaceContext } from '../../work/workspace/workspace.ts';
import { createBuiltinAgent } from '../agent-executor/builtin-agent.ts';
import { triageFolder } from '../triage-folder.ts';
import { CONFINE_ENTRY } from './confine-entry.ts';
import { endRunProcesses } from './end-run-processes.ts';

type WorkDependencies = Pick<CommandContext, 'tool' | 'system' | 'home' | 'signal'> &
  Partial<Pick<CommandContext, 'warn' | 'table'>>;

/** Agents that a plan can name without configuration, if their programs are installed. */
const DEFAULT_AGENTS = { claude: { kind: 'claude' }, codex: { kind: 'codex' } } as const;

/** Creates the context of the work part: home, agents and limits from the settings, and the command that starts this program. */
export function openWorkContext(
  context: WorkDependencies,
  onEvent: (event: WorkEvent) => void = () => undefined,
): WorkContext {
  const { tool, system, home, signal } = context;
  const settings = settingsOf(context);
  return {
    home: home.path,
    workspace: { ...workspaceContext(context), ...isolationOf(settings) },
    env: system.env,
    clock: system.clock,
    agents: checkAgents({ ...DEFAULT_AGENTS, ...objectOf(settings, 'work.agents') }),
    // The gate of `deed` for every caller: the agent configuration of a folder is used only if it is trusted.
    ...createBuiltinAgent({ tool, system, home, gate: 'token' }),
    patterns: { ...DEFAULT_PATTERNS, ...objectOf(settings, 'work.deltas') },
    diskBytes: Number(settings.get('work.disk_bytes').value),
    mode: settings.get('work.workspace').value === 'copy' ? 'copy' : undefined,
    allowUnsandboxed: settings.get('work.allow_unsandboxed').value === true,
    toolchainVersion: `${tool.name} ${tool.version}`,
    runtimeVersion: system.executable.runtime,
    program: system.executable.command,
    endLeftovers: (runId) => endRunProcesses(runId, context),
    signal,
    onEvent,
    warn: context.warn,
    openSpan: async (run) => (await import('./open-run-span.ts')).openRunSpan(run, context),
    journal: runJournal(context),
    stagedJournal: stagedJournal(context),
  };
}

/** The agent of items that name none, if exactly one is configured. */
export function onlyConfiguredAgent(context: WorkDependencies): string | undefined {
  const names = Object.keys(checkAgents(objectOf(settingsOf(context), 'work.agents')));
  return names.length === 1 ? names[0] : undefined;
}

/** The journal of runs is the continuity store, which is loaded when the first event is recorded. */
function runJournal(context: WorkDependencies): RunJournal {
  const open = async (): Promise<RunJournal> =>
    (await import('../journal/open-run-journal.ts')).openRunJournal(context);
  return {
    started: async (run) => (await open()).started(run),
    waiting: async (run) => (await open()).waiting(run),
    ended: async (outcome) => (await open()).ended(outcome),
    claim: async (job) => (await open()).claim(job),
    release: async (job) => (await open()).release(job),
  };
}

/** Staging needs the command table. */
function stagedJournal(context: WorkDependencies): StagedJournal | undefined {
  const { table } = context;
  if (table === undefined) return undefined;
  const open = async (): Promise<StagedJournal> =>
    (await import('../journal/create-staged-journal.ts')).createStagedJournal({ ...context, table });
  return {
    open: async (run, location) => (await open()).open(run, location),
    read: async (run, location, startedAtMs) => (await open()).read(run, location, startedAtMs),
    commit: async (run, promote) => (await open()).commit(run, promote),
  };
}

export function workspaceContext({
  system,
  home,
}: Pick<WorkDependencies, 'system' | 'home'>): WorkspaceContext {
  return {
    folder: join(home.path, 'work'),
    deedHome: home.path,
    stateFolders: [triageFolder(system.userHome)],
    accountHome: system.userHome,
    temporaryFolder: system.env.TMPDIR || tmpdir(),
    platform: system.platform,
    uid: system.account.euid,
    gid: system.account.gid,
    env: system.env,
    clock: system.clock,
    confine: confinerOf(system),
  };
}

/** Landlock is applied by the executable, which the library may not have found. */
function confinerOf({ executable }: WorkDependencies['system']): readonly string[] | undefined {
  const [program = ''] = executable.command;
  return executable.command.length === 1 && isAbsolute(program) ? [program, CONFINE_ENTRY] : undefined;
}

function isolationOf(settings: Settings): Pick<WorkspaceContext, 'only'> {
  const { value } = settings.get('work.isolation');
  return { only: CONFINING.find((kind) => kind === value) };
}

function objectOf(settings: Settings, name: string): Record<string, unknown> {
  const { value } = settings.get(name);
  return isPlainObject(value) ? value : {};
}
