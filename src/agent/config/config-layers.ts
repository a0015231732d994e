import { dirname, join, resolve } from 'node:path';
import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import { isDeeperThan, isPlainObject } from '../../base/json.ts';
import { LIMITS } from '../../base/limits.ts';
import { ownUid } from '../../system/account.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { findForeignOwner } from '../../system/foreign-access.ts';
import { parseEnvFile } from './parse-env-file.ts';

/** The location a layer was read from. Other people may have written the files of `cwd` and `prompt`. */
export type LayerOrigin = 'explicit' | 'cwd' | 'prompt' | 'binary' | 'home' | 'system';

/** One configuration file with the variables of its `.env` file. */
export interface ConfigLayer {
  readonly origin: LayerOrigin;
  readonly file: string;
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly envFile: string;
  readonly envText: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

export interface LayerLocations {
  /** `--config`. */
  readonly explicit?: string | undefined;
  readonly cwd: string;
  readonly promptFolder?: string | undefined;
  /** The folder of the program's script or executable. */
  readonly binaryFolder: string;
  readonly userHome: string;
  /** `/etc` except in tests. */
  readonly systemFolder: string;
}

/** Reads the existing layers, highest priority first. */
export function readLayers(locations: LayerLocations): readonly ConfigLayer[] {
  const seen = new Set<string>();
  return candidates(locations).flatMap(({ origin, file, envFile }) => {
    if (seen.has(file)) return [];
    seen.add(file);
    if (origin === 'home') assertOwner(file);
    const text = readFileIfPresent(file);
    if (text === undefined) {
      if (origin === 'explicit') throw missingFile(file);
      return [];
    }
    const envText = readFileIfPresent(envFile);
    const values = parseLayer(file, text);
    return [{ origin, file, text, values, envFile, envText, variables: parseEnvFile(envText ?? '') }];
  });
}

/** With the home of another account, as `sudo -E` sets it, that account would choose programs that this one starts. */
function assertOwner(file: string): void {
  const uid = ownUid();
  const found = findForeignOwner(dirname(file), uid) ?? findForeignOwner(file, uid);
  if (found === undefined) return;
  throw new Fault('E_CONFIG', `${found.path} ${found.problem}, so its settings are not used.`, {
    hint: `${found.fix}; or set HOME to the home of this account.`,
    details: { path: found.path, problem: found.problem },
  });
}

/** Returns a layer from values that the caller passes instead of a file. */
export function inlineLayer(values: Readonly<Record<string, unknown>>): ConfigLayer {
  const text = JSON.stringify(values);
  return {
    origin: 'explicit',
    file: 'inline configuration',
    text,
    values,
    envFile: '',
    envText: undefined,
    variables: {},
  };
}

interface Candidate {
  readonly origin: LayerOrigin;
  readonly file: string;
  readonly envFile: string;
}

function candidates(locations: LayerLocations): readonly Candidate[] {
  const hidden = (origin: LayerOrigin, folder: string): Candidate => ({
    origin,
    file: join(folder, '.ai-agent.json'),
    envFile: join(folder, '.ai-agent.env'),
  });
  const plain = (origin: LayerOrigin, folder: string): Candidate => ({
    origin,
    file: join(folder, 'ai-agent.json'),
    envFile: join(folder, 'ai-agent.env'),
  });
  const { explicit, promptFolder } = locations;
  return [
    ...(explicit === undefined ? [] : [explicitLayer(resolve(locations.cwd, explicit))]),
    hidden('cwd', locations.cwd),
    ...(promptFolder === undefined ? [] : [hidden('prompt', promptFolder)]),
    hidden('binary', locations.binaryFolder),
    plain('home', join(locations.userHome, '.ai-agent')),
    plain('system', join(locations.systemFolder, 'ai-agent')),
  ];
}

/** Returns an explicit layer with its `.env` file: `x/.ai-agent.json` uses `x/.ai-agent.env`, `x/team.json` uses `x/team.env`. */
function explicitLayer(file: string): Candidate {
  const envFile = file.endsWith('.json') ? `${file.slice(0, -5)}.env` : join(dirname(file), '.ai-agent.env');
  return { origin: 'explicit', file, envFile };
}

function parseLayer(file: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw malformed(file, `is not JSON: ${errorMessage(error)}`, error);
  }
  if (!isPlainObject(value)) throw malformed(file, 'is not a JSON object');
  if (isDeeperThan(value, LIMITS.inputDepth)) throw malformed(file, 'is nested too deeply');
  return value;
}

function malformed(file: string, problem: string, cause?: unknown): Fault {
  return new Fault('E_CONFIG', `${file} ${problem}.`, {
    hint: `Fix ${file}.`,
    details: { layer: file },
    cause,
  });
}

function missingFile(file: string): Fault {
  return new Fault('E_CONFIG', `Configuration file ${file} does not exist.`, {
    hint: 'Pass the path of an existing file to --config.',
    details: { layer: file },
  });
}
