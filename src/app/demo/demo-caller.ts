import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import { runCommand } from '../../system/run-command.ts';
import type { DemoCall } from './demo-step.ts';
import type { DemoEnvironment } from './create-environment.ts';

/** The parsed output of a program. */
export interface ProgramAnswer {
  readonly exitCode: number | null;
  readonly data: JsonObject;
  /** Events of a stream before its result. */
  readonly events: readonly JsonObject[];
  readonly error:
    | { readonly code: string; readonly message: string; readonly details: JsonObject }
    | undefined;
}

/** Runs our programs as a user would, and records the calls. */
export interface DemoCaller {
  readonly calls: DemoCall[];
  /** Contract: a call that fails throws, unless it fails with the expected code. */
  readonly call: (words: readonly string[], expect?: string) => Promise<ProgramAnswer>;
  /** A write in two steps: a dry run, then the same call with its token. */
  readonly confirm: (words: readonly string[], expect?: string) => Promise<ProgramAnswer>;
}

const CALL_TIMEOUT_MS = 120_000;
/** Shorter than the grace period of our commands, so that an interrupted demo still terminates what it started. */
const GRACE_MS = 2000;
const TOKEN_SHOWN = 9;

export function createDemoCaller(demo: DemoEnvironment, signal: AbortSignal): DemoCaller {
  const calls: DemoCall[] = [];
  const call: DemoCaller['call'] = async (words, expect) => {
    const [program = '', ...argv] = words;
    const startedAt = monotonicMs();
    const command = renderCommand(words);
    const { exitCode, stdout } = await runCommand([join(demo.bin, program), ...argv], {
      cwd: demo.repository,
      env: demo.env,
      timeoutMs: CALL_TIMEOUT_MS,
      graceMs: GRACE_MS,
      maxOutputBytes: 64 * 1024 * 1024,
      signal,
    });
    calls.push({ command, exit_code: exitCode, duration_ms: Math.round(monotonicMs() - startedAt) });
    const answer = parseResult(stdout, exitCode);
    if (answer.error?.code === expect) return answer;
    throw new Fault(
      answer.error?.code ?? 'E_UNKNOWN',
      `${command}: ${answer.error?.message ?? 'succeeded'}`,
      {
        hint: `Inspect ${demo.folder}.`,
        details: { command, folder: demo.folder, ...(expect !== undefined && { expected: expect }) },
      },
    );
  };
  return {
    calls,
    call,
    confirm: async (words, expect) => {
      const token = tokenOf(await call([...words, '--dry-run']));
      return call([...words, '--confirm', token], expect);
    },
  };
}

/** The token of a dry run. */
export function tokenOf({ data }: ProgramAnswer): string {
  const { confirm_token } = data;
  return typeof confirm_token === 'string' ? confirm_token : '';
}

/** Parses both envelopes: `ok` and `data` of deed, `success` and `data` of vybe. The result of a stream is its last item. */
function parseResult(stdout: string, exitCode: number | null): ProgramAnswer {
  const whole = parse(stdout);
  const lines =
    whole === undefined
      ? stdout
          .trim()
          .split('\n')
          .map((line) => parse(line) ?? {})
      : [whole];
  const items = lines.filter(({ type }) => type === 'item').map(dataOf);
  const failed = lines.find(({ ok, success }) => ok !== true && success !== true);
  if (failed === undefined)
    return { exitCode, data: items.at(-1) ?? dataOf(lines[0]), events: items.slice(0, -1), error: undefined };
  const { error } = failed;
  const { code, message, details } = isPlainObject(error)
    ? error
    : { code: failed['error_code'], message: error, details: {} };
  return {
    exitCode,
    data: {},
    events: items,
    error: {
      code: typeof code === 'string' ? code : 'E_UNKNOWN',
      message: typeof message === 'string' ? message : `exited with code ${exitCode}`,
      details: isPlainObject(details) ? (details as JsonObject) : {},
    },
  };
}

function dataOf(line: Record<string, unknown> | undefined): JsonObject {
  return isPlainObject(line?.['data']) ? (line['data'] as JsonObject) : {};
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a call was made to deed or vybe; those are in the audit log. */
export function isAudited({ command }: DemoCall): boolean {
  return /^(?:deed|vybe) /u.test(command);
}

/** Renders a command line; used tokens are truncated. */
export function renderCommand(words: readonly string[]): string {
  return words
    .map((word) => (word.startsWith('ct_') ? `${word.slice(0, TOKEN_SHOWN)}…` : word))
    .map((word) => (/^[\w@%+=:,./…-]+$/u.test(word) ? word : `'${word}'`))
    .join(' ');
}
