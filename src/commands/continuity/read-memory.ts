import { Fault } from '../../base/fault.ts';
import { parseDuration, parseMoment } from '../../continuity/memory/duration.ts';
import {
  placeOf,
  type MemoryKind,
  type MemoryScope,
  type ValueType,
} from '../../continuity/memory/memory.ts';
import { checkValueType, valueText } from '../../continuity/memory/value-type.ts';
import type { NewMemory } from '../../continuity/memory/write-memory.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import { isPerson } from '../../continuity/person.ts';

export interface GivenMemory {
  readonly key: string;
  readonly value: unknown;
  readonly value_type?: ValueType | undefined;
  readonly scope?: MemoryScope | undefined;
  readonly scope_id?: string | undefined;
  readonly kind?: MemoryKind | undefined;
  readonly pinned?: boolean | undefined;
  readonly expires_in?: string | undefined;
  readonly expires_at?: string | undefined;
}

/** Checks a memory as a caller gives it. */
export function readMemory(given: GivenMemory, agent: string, nowMs: number): NewMemory {
  if (given.kind === 'directive' && !isPerson(agent)) {
    throw new Fault('E_HUMAN_REQUIRED', 'Only a person can write a directive, and this call is an agent’s.', {
      hint: 'Remember it as a fact or a lesson, or ask the person to run "deed memory set --kind directive".',
      details: { field: 'kind', allowed: ['fact', 'lesson'] },
    });
  }
  const value = valueText(given.value);
  if (value.length > STORE_LIMITS.valueCharacters) {
    throw new Fault('E_VALIDATION', `The value of "${given.key}" has ${value.length} characters.`, {
      hint: `A memory takes ${STORE_LIMITS.valueCharacters}; keep the rest in a file and record it as an artifact.`,
      details: { field: 'value', max: STORE_LIMITS.valueCharacters },
    });
  }
  const expiresAt =
    given.expires_in !== undefined
      ? new Date(nowMs + parseDuration(given.expires_in, 'expires_in')).toISOString()
      : given.expires_at !== undefined
        ? parseMoment(given.expires_at, 'expires_at')
        : null;
  return {
    ...placeOf(given.scope ?? 'global', given.scope_id),
    key: given.key,
    value,
    valueType: checkValueType(value, given.value_type),
    kind: given.kind,
    pinned: given.pinned,
    expiresAt,
  };
}
