import { isPlainObject, type JsonObject, type JsonValue } from './json.ts';

/*
 * Events and memories have integer ids in the store and in the continuity contract. All other output has strings, because every id is
 * a string there.
 */

/** Names of members with the id of an event; a cursor is the id of the last event that an agent has read. */
const EVENT_IDS: ReadonlySet<string> = new Set([
  'event_id',
  'cursor',
  'old_cursor',
  'new_cursor',
  'superseded_by',
]);

/** Members with data of callers, which is never converted. */
const OPAQUE: ReadonlySet<string> = new Set(['metadata', 'preview']);

/** Whether a member of an object with these members is the id of an event or a memory. */
export function isIntegerId(name: string, owner: object): boolean {
  // Tasks and artifacts have an id too; only events and memories also name an agent.
  if (name === 'id') return 'agent_name' in owner || 'source_agent' in owner;
  return EVENT_IDS.has(name) || name.endsWith('_event_id');
}

/** Converts the ids of events and memories in an answer to integers. */
export function idsAsIntegers(answer: JsonObject): JsonObject {
  return convertMembers(answer, (id) => (typeof id === 'string' && /^\d{1,15}$/u.test(id) ? Number(id) : id));
}

/** Converts the ids of events and memories in an answer to strings. */
export function idsAsStrings(answer: JsonObject): JsonObject {
  return convertMembers(answer, (id) => (typeof id === 'number' ? String(id) : id));
}

type ConvertId = (id: JsonValue | undefined) => JsonValue | undefined;

function convertMembers(owner: JsonObject, convertId: ConvertId): JsonObject {
  const convert = (name: string, member: JsonValue | undefined): JsonValue | undefined => {
    if (OPAQUE.has(name)) return member;
    if (isIntegerId(name, owner)) return convertId(member);
    return convertValue(member, convertId);
  };
  return Object.fromEntries(Object.entries(owner).map(([name, member]) => [name, convert(name, member)]));
}

function convertValue(value: JsonValue | undefined, convertId: ConvertId): JsonValue | undefined {
  if (isArray(value)) return value.map((item) => convertValue(item, convertId) as JsonValue);
  return isPlainObject(value) ? convertMembers(value, convertId) : value;
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
