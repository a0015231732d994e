import type * as v from 'valibot';
import { ID_BODY } from '../../base/ids.ts';
import { isPlainObject } from '../../base/json.ts';
import type { QueryRunner } from '../../continuity/database/database.ts';
import { listTaskIdsOfEvents } from '../../continuity/database/queries/events.ts';
import { listTaskIds } from '../../continuity/database/queries/tasks.ts';
import {
  chooseId,
  MAX_CANDIDATES,
  MIN_PREFIX,
  readPrefix,
  type IdCandidate,
} from '../../contract/id-prefix.ts';
import { acceptIdPrefixes, type GivenId } from '../../contract/resolve-ids.ts';
import { withReader } from './open-store.ts';

/** A parameter with the id of a task, or a unique prefix of it. */
export function taskId<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, ({ value, ...call }) => resolveTask(String(value), call));
}

/** A parameter with the id of a scope of memory, which is a task if the parameter `scope` is `task`. */
export function scopeId<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, ({ value, ...call }) => resolveScope(call.params.scope, value, call));
}

/** A parameter with memories, each with its own scope. */
export function memoryScopes<T extends v.GenericSchema>(schema: T): T {
  return acceptIdPrefixes(schema, async ({ value, ...call }) => {
    const resolve = async (memory: unknown): Promise<unknown> =>
      isPlainObject(memory)
        ? { ...memory, ...(await resolveMember(memory.scope, memory.scope_id, call)) }
        : memory;
    return Array.isArray(value) ? Promise.all(value.map(resolve)) : resolve(value);
  });
}

type Call = Omit<GivenId, 'value'>;

async function resolveMember(scope: unknown, id: unknown, call: Call): Promise<{ scope_id?: unknown }> {
  return id === undefined ? {} : { scope_id: await resolveScope(scope, id, { ...call, field: 'scope_id' }) };
}

/** The id of a scope is any string, so a short one is not a prefix. */
async function resolveScope(scope: unknown, value: unknown, call: Call): Promise<unknown> {
  if (scope !== 'task' || typeof value !== 'string') return value;
  return readPrefix(call.field, value, 'task').length < MIN_PREFIX ? value : resolveTask(value, call);
}

/** A whole id, of this version or of 0.1.0. Thirteen digits may also be the start of an id of 0.1.0. */
const WHOLE_ID = new RegExp(`^task_(?:(?!\\d+$)${ID_BODY}|\\d{19}_[0-9a-f]{12})$`, 'u');

async function resolveTask(given: string, { field, params, context }: Call): Promise<string> {
  if (WHOLE_ID.test(given)) return given;
  const prefix = readPrefix(field, given, 'task');
  const db_path = params.db_path as string | undefined;
  return withReader({ db_path }, context, async (db) => {
    const id = chooseId(prefix, await findTasks(db, given, prefix.full));
    if (id !== undefined || prefix.length < MIN_PREFIX) return id ?? given;
    // The events of a deleted task remain, and a retry of its deletion must find the same id.
    return chooseId(prefix, await findDeleted(db, prefix.full)) ?? given;
  });
}

async function findTasks(db: QueryRunner, given: string, from: string): Promise<readonly IdCandidate[]> {
  return db.all(listTaskIds, { given, from, to: endOf(from), limit: MAX_CANDIDATES + 1 });
}

async function findDeleted(db: QueryRunner, from: string): Promise<readonly IdCandidate[]> {
  const rows = await db.all(listTaskIdsOfEvents, { from, to: endOf(from), limit: MAX_CANDIDATES + 1 });
  return rows.flatMap(({ task_id: id }) => (id === null ? [] : [{ id }]));
}

/** The end of the range of all texts that start with a prefix. */
function endOf(prefix: string): string {
  return `${prefix}\uFFFF`;
}
