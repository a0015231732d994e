import { join, resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { settingsOf } from '../config/settings-of.ts';
import type { CommandContext } from '../contract/command.ts';
import { readFileIfPresent } from '../system/durable-file.ts';
import { lookUpRun } from '../work/run/look-up-run.ts';
import { isMarkOf } from '../work/run/run-mark.ts';
import { triageFolder } from './triage-folder.ts';
import { lookUpSession } from '../agent/session/look-up-session.ts';
import { openMachine, openTriage, type Triage, type TriageEnvironment } from '../triage/triage.ts';

/** Triage with results typed as JSON, which commands return. */
type JsonTriage = {
  readonly [Name in keyof Triage]: Triage[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Promise<Result extends readonly unknown[] ? Result : Result & JsonObject>
    : (...args: Parameters<Triage[Name]>) => AsyncIterable<JsonObject>;
};

/** Opens triage on this machine with the settings of the account. */
export function triageOf(context: CommandContext): JsonTriage {
  return openTriage(machineOf(context)) as JsonTriage;
}

/** This machine as triage sees it. */
export function machineOf(context: CommandContext): TriageEnvironment {
  const { system, signal, warn, tool } = context;
  const settings = settingsOf(context);
  const number = (name: string): number => Number(settings.get(name).value);
  const file = settings.get('triage.parameters_file').value;
  return openMachine({
    dataRoot: triageFolder(system.userHome),
    platform: system.platform,
    host: system.account.host,
    uid: system.account.euid,
    now: system.clock.now,
    env: system.env,
    overrides: readOverrides(typeof file === 'string' ? file : '', system.userHome),
    retentionMs: number('triage.retention_days') * 86_400_000,
    killsPerDay: number('triage.kills_per_day'),
    lookUpRun: (id) => lookUpRun(context.home.path, id),
    isRunMark: (id, mark) => isMarkOf(context.home.path, id, mark),
    lookUpSession: (id) => lookUpSession(context.home.at('sessions'), id),
    signal,
    warn,
    program: context.gate === 'open' ? 'pt agent' : `${tool.name} triage`,
  });
}

function readOverrides(setting: string, userHome: string): unknown {
  if (setting === '') return undefined;
  const path = setting.startsWith('~/') ? join(userHome, setting.slice(2)) : resolve(userHome, setting);
  const problem = (what: string, cause?: unknown): Fault =>
    new Fault('E_CONFIG', `The triage parameters file ${path} ${what}.`, {
      hint: 'Fix the file, or unset triage.parameters_file.',
      details: { path },
      cause,
    });
  const text = readFileIfPresent(path);
  if (text === undefined) throw problem('does not exist');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw problem('is not valid JSON', error);
  }
}
