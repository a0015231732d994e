import { dirname, join, resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isDeeperThan, isPlainObject } from '../../base/json.ts';
import { LIMITS } from '../../base/limits.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { parseEnvFile } from './parse-env-file.ts';

/** Where a layer comes from. `cwd` and `prompt` are folders that somebody else may have prepared. */
export type LayerOrigin = 'explicit' | 'cwd' | 'prompt' | 'binary' | 'home' | 'system';

/** One configuration file with the variables beside it. */
export interface ConfigLayer {
  readonly origin: LayerOrigin;
  readonly file: string;
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly envFile: string;
  readonly envText: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

export interface LayerPlaces {
  /** `--config`. */
  readonly explicit?: string | undefined;
  readonly cwd: string;
  readonly promptFolder?: string | undefined;
  /** Where the program's own script or executable lies. */
  readonly binaryFolder: string;
  readonly userHome: string;
  /** `/etc`, unless a test has its own. */
  readonly systemFolder: string;
}

/** Reads the layers that are there, the strongest first. */
export function readLayers(places: LayerPlaces): readonly ConfigLayer[] {
  const seen = new Set<string>();
  return candidates(places).flatMap(({ origin, file, envFile }) => {
    if (seen.has(file)) return [];
    seen.add(file);
    const text = readFileIfPresent(file);
    if (text === undefined) {
      if (origin === 'explicit') throw noSuchFile(file);
      return [];
    }
    const envText = readFileIfPresent(envFile);
    const values = parseLayer(file, text);
    return [{ origin, file, text, values, envFile, envText, variables: parseEnvFile(envText ?? '') }];
  });
}

/** A layer of values that a program gives instead of a file. */
export function inlineLayer(values: Readonly<Record<string, unknown>>): ConfigLayer {
  const text = JSON.stringify(values);
  return {
    origin: 'explicit',
    file: 'the given configuration',
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

function candidates(places: LayerPlaces): readonly Candidate[] {
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
  const { explicit, promptFolder } = places;
  return [
    ...(explicit === undefined ? [] : [explicitLayer(resolve(places.cwd, explicit))]),
    hidden('cwd', places.cwd),
    ...(promptFolder === undefined ? [] : [hidden('prompt', promptFolder)]),
    hidden('binary', places.binaryFolder),
    plain('home', join(places.userHome, '.ai-agent')),
    plain('system', join(places.systemFolder, 'ai-agent')),
  ];
}

/** `x/.ai-agent.json` has `x/.ai-agent.env` beside it; any other name has its own, `x/team.json` and `x/team.env`. */
function explicitLayer(file: string): Candidate {
  const envFile = file.endsWith('.json') ? `${file.slice(0, -5)}.env` : join(dirname(file), '.ai-agent.env');
  return { origin: 'explicit', file, envFile };
}

function parseLayer(file: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw malformed(file, `is not JSON: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (!isPlainObject(value)) throw malformed(file, 'is not a JSON object');
  if (isDeeperThan(value, LIMITS.inputDepth)) throw malformed(file, 'is nested too deeply');
  return value;
}

function malformed(file: string, problem: string, cause?: unknown): Fault {
  return new Fault('E_CONFIG', `${file} ${problem}.`, {
    hint: `Correct ${file}.`,
    details: { layer: file },
    cause,
  });
}

function noSuchFile(file: string): Fault {
  return new Fault('E_CONFIG', `There is no configuration ${file}.`, {
    hint: 'Give --config the path of a file that is there.',
    details: { layer: file },
  });
}
