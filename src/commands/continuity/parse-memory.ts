import { Fault } from '../../base/fault.ts';
import { directiveFault } from '../../continuity/memory/directive-fault.ts';
import { parseDuration, parseTimeArgument } from '../../continuity/memory/duration.ts';
import {
  checkScope,
  type MemoryKind,
  type MemoryScope,
  type ValueType,
} from '../../continuity/memory/memory.ts';
import { checkValueType, renderMemoryValue } from '../../continuity/memory/value-type.ts';
import type { NewMemory } from '../../continuity/memory/write-memory.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import { isPerson } from '../../continuity/person.ts';

export interface MemoryInput {
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

/** Validates a memory passed by a caller. */
export function parseMemory(input: MemoryInput, agent: string, nowMs: number): NewMemory {
  if (input.kind === 'directive' && !isPerson(agent)) {
    throw directiveFault(
      'Only a person can write a directive, not an agent.',
      'Use the kind fact or lesson, or ask the user to run "deed memory set --kind directive".',
      input,
      { field: 'kind', allowed: ['fact', 'lesson'] },
    );
  }
  const value = renderMemoryValue(input.value);
  if (value.length > STORE_LIMITS.valueCharacters) {
    throw new Fault('E_VALIDATION', `The value of "${input.key}" is too long: ${value.length} characters.`, {
      hint: `The limit is ${STORE_LIMITS.valueCharacters}. Store long values in a file and record it as an artifact.`,
      details: { field: 'value', max: STORE_LIMITS.valueCharacters },
    });
  }
  const expiresAt = parseExpiry(input, nowMs);
  return {
    ...checkScope(input.scope ?? 'global', input.scope_id),
    key: input.key,
    value,
    valueType: checkValueType(value, input.value_type),
    kind: input.kind,
    pinned: input.pinned,
    expiresAt,
  };
}

function parseExpiry({ expires_in, expires_at }: MemoryInput, nowMs: number): string | null {
  const [field, given] = expires_in === undefined ? ['expires_at', expires_at] : ['expires_in', expires_in];
  if (given === undefined) return null;
  const atMs =
    expires_in === undefined
      ? Date.parse(parseTimeArgument(given, field))
      : nowMs + parseDuration(given, field);
  if (atMs > nowMs && atMs <= nowMs + STORE_LIMITS.maxExpiryMs) return new Date(atMs).toISOString();
  throw new Fault(
    'E_VALIDATION',
    `The expiry "${given}" is ${atMs > nowMs ? 'too far away' : 'in the past'}.`,
    {
      hint: 'Pass a time within the next ten years, or omit it to keep the memory.',
      details: { field, value: given },
    },
  );
}
