import { sha256 } from '../../system/digest.ts';
import { canonicalJson, isPlainObject, type JsonObject } from '../../base/json.ts';
import type { StagedWrite } from './staged-write.ts';

/** A journal write of an agent, as shown to the person who approves the run and in its receipt. */
export interface DescribedWrite extends JsonObject {
  readonly command: string;
  /** What it writes: a task, the title of a new one, or the place of a memory. */
  readonly target: string;
  readonly params: JsonObject;
  /** SHA-256 of the write, as in the deltas of the receipt. */
  readonly hash: string;
}

export function describeWrite(write: StagedWrite): DescribedWrite {
  const { command, params } = write;
  return { command, target: targetOf(command, params), params, hash: hashWrite(write) };
}

export function hashWrite(write: StagedWrite): string {
  return sha256(canonicalJson(write));
}

function targetOf(command: string, params: JsonObject): string {
  if (command === 'task create') return textOf(params.title);
  if (command === 'memory set') return placeOf(params);
  if (command !== 'push') return textOf(params.id);
  const { task_id, memories } = params;
  const places = (Array.isArray(memories) ? memories : [memories]).filter(isPlainObject).map(placeOf);
  return [...(task_id === undefined ? [] : [textOf(task_id)]), ...places].join(', ');
}

function placeOf({ scope = 'global', scope_id, key }: Readonly<Record<string, unknown>>): string {
  return [scope, scope_id, key]
    .map(textOf)
    .filter((part) => part !== '')
    .join('/');
}

/** The agent wrote the parameters, so they may have any type. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
