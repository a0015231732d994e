import { createReportReader, readClaudeEvent, readCodexEvent, type EventReader } from './agent-events.ts';
import { createClaudeUsage, createCodexUsage, type UsageReader } from './agent-usage.ts';

/** How a program is run and how its tool calls are reported: by an event stream on stdout, or by DEED_EVENTS. */
export interface ProgramSpec {
  readonly toolSource: string;
  /** The command line; with the id of a session, the command line that continues it. Undefined if the program cannot continue a session. */
  readonly argv: (options: ProgramOptions) => readonly string[] | undefined;
  /** Variables that the program needs inside a sandbox. */
  readonly sandboxEnv?: Readonly<Record<string, string>>;
  /** Reads the event stream of the program; absent for a program that reports on DEED_EVENTS. */
  readonly events?: EventReader;
  readonly createUsage?: () => UsageReader;
  readonly createReports: () => EventReader;
}

export interface ProgramOptions {
  readonly sandboxed: boolean;
  readonly session?: string | undefined;
}

/** A configured program: its whole command line, or arguments that are added to the command line of deed. */
export interface ProgramConfig {
  readonly argv?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
}

export function commandProgram(argv: readonly string[]): ProgramSpec {
  return {
    toolSource: 'the command itself and what it reports on DEED_EVENTS',
    argv: ({ session }) => (session === undefined ? argv : undefined),
    createReports: createReportReader,
  };
}

/** Runs are sandboxed by deed, so the programs do not ask for permission; unsandboxed they keep their own checks. */
export function claudeProgram({ argv, args = [] }: ProgramConfig = {}): ProgramSpec {
  return {
    toolSource: 'stream-json events of claude',
    argv: ({ sandboxed, session }) => [
      ...(argv ?? CLAUDE),
      ...(argv === undefined ? ['--permission-mode', sandboxed ? 'bypassPermissions' : 'acceptEdits'] : []),
      ...args,
      ...(session === undefined ? [] : ['--resume', session]),
    ],
    // As root it refuses to work without permission prompts, unless this variable says that it is sandboxed.
    sandboxEnv: { IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1' },
    events: readClaudeEvent,
    createUsage: createClaudeUsage,
    createReports: createReportReader,
  };
}

export function codexProgram({ argv, args = [] }: ProgramConfig = {}): ProgramSpec {
  return {
    toolSource: 'JSON events of codex',
    argv: ({ sandboxed, session }) => {
      const permissions = sandboxed ? CODEX_BYPASS : ['--sandbox', 'workspace-write'];
      const words = argv ?? [...CODEX, ...permissions, ...args, '-'];
      if (session === undefined) return words;
      // The last argument `-` reads the prompt from standard input; the session id goes before it.
      return words.at(-1) === '-' ? [...words.slice(0, -1), 'resume', session, '-'] : undefined;
    },
    events: readCodexEvent,
    createUsage: createCodexUsage,
    createReports: createReportReader,
  };
}

const CLAUDE = ['claude', '-p', '--output-format', 'stream-json', '--verbose'];
const CODEX = ['codex', 'exec', '--json', '--skip-git-repo-check'];
const CODEX_BYPASS = ['--dangerously-bypass-approvals-and-sandbox'];
