import { isPlainObject } from '../json.ts';
import { findSecrets } from './find-secrets.ts';
import type { SecretFinding } from './secret-finding.ts';
import { isGeneratedIdentifier, isGeneratedWord, isOrdinaryValue, looksGenerated } from './ordinary-value.ts';
import { isActionName, isDescriptionName, isIdentifierName, isSecretName } from './secret-name.ts';

export const REDACTED = '[REDACTED]';

/** Masks the secrets inside a text. */
export function redactText(text: string): string {
  return maskSecrets(text, findSecrets(text));
}

/** Replaces the findings in a text. */
export function maskSecrets(text: string, found: readonly SecretFinding[]): string {
  let masked = '';
  let from = 0;
  for (const { start, end } of found) {
    masked += text.slice(from, start) + REDACTED;
    from = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/** Masks secrets at any depth: members by their name and value, text by its content. Returns the value itself when it has none. */
export function redact<T>(value: T): T {
  return maskValue(value, { byName: true, maskText: createTextMask() }) as T;
}

/**
 * Creates a `redact` for many values with the same members, such as the events of a session: names and other short texts repeat, and each is
 * searched once for all of them.
 */
export function createRedactor(): <T>(value: T) => T {
  const masking: Masking = { byName: true, maskText: createTextMask(REPEATED) };
  return <T>(value: T) => maskValue(value, masking) as T;
}

/** Masks secrets in text only: for descriptions, whose field names mention secrets without containing one. */
export function redactTexts<T>(value: T): T {
  return maskValue(value, { byName: false, maskText: createTextMask() }) as T;
}

/** How one value is masked. */
interface Masking {
  /** Whether the names of members count, in addition to texts. */
  readonly byName: boolean;
  readonly maskText: (text: string) => string;
}

/** Which texts are kept for as long as a redactor is used. */
const REPEATED = { texts: 1000, characters: 64 };

/** The rows of a list have the same names and many equal texts; each is searched once. */
function createTextMask(kept = { texts: Infinity, characters: Infinity }): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const masked = redactText(text);
    if (text.length <= kept.characters && known.size < kept.texts) known.set(text, masked);
    return masked;
  };
}

function maskValue(value: unknown, masking: Masking): unknown {
  if (typeof value === 'string') return masking.maskText(value);
  if (Array.isArray(value)) return mapItems(value, (item) => maskValue(item, masking));
  if (!isPlainObject(value)) return value;
  const pairName = masking.byName ? nameOfPair(value) : undefined;
  return mapMembers(value, masking, (member, memberName) => {
    const name = pairName !== undefined && /^value$/iu.test(memberName) ? pairName : memberName;
    // Most members are numbers, booleans and null, whose names need no check.
    if (!masking.byName || !mayBeSecret(member)) return maskValue(member, masking);
    if (isDescriptionName(name) && typeof member === 'object') return maskDescription(member, masking);
    return isSecretName(name) ? maskSecret(member, name, masking) : maskValue(member, masking);
  });
}

/** Returns the name that an object gives to its `value`: `{"name": "DB_PASSWORD", "value": "…"}`. */
function nameOfPair(value: Record<string, unknown>): string | undefined {
  if (typeof (value.value ?? value.Value) !== 'string') return undefined;
  const name = value.name ?? value.Name ?? value.key ?? value.Key;
  return typeof name === 'string' && isSecretName(name) ? name : undefined;
}

function mayBeSecret(member: unknown): boolean {
  return (
    typeof member === 'string' ||
    typeof member === 'number' ||
    (typeof member === 'object' && member !== null)
  );
}

/** Masks the value under the name of a secret. Numbers and booleans stay: they are a count, or whether a secret is set. */
function maskSecret(value: unknown, name: string, masking: Masking): unknown {
  if (typeof value === 'string') return isMemberSecret(value, name) ? REDACTED : masking.maskText(value);
  if (typeof value === 'number')
    return /(?:password|passwd|pwd|passcode)(?!s$)/iu.test(name) ? REDACTED : value;
  if (Array.isArray(value)) return mapItems(value, (item) => maskSecret(item, name, masking));
  return isPlainObject(value)
    ? mapMembers(value, masking, (member) => maskSecret(member, name, masking))
    : value;
}

function isMemberSecret(value: string, name: string): boolean {
  if (/cookie/iu.test(name)) return value.includes('=') || !isOrdinaryValue(value);
  if (isIdentifierName(name)) return isGeneratedIdentifier(value);
  if (isDescriptionName(name)) return looksGenerated(value) && !isOrdinaryValue(value);
  if (isActionName(name)) return isGeneratedWord(value);
  return !isOrdinaryValue(value);
}

/** Masks members of an object that describes credentials: a provider's name stays, a value that looks generated does not. */
function maskDescription(value: unknown, masking: Masking): unknown {
  if (Array.isArray(value)) return mapItems(value, (item) => maskDescription(item, masking));
  if (!isPlainObject(value)) return typeof value === 'string' && looksGenerated(value) ? REDACTED : value;
  return mapMembers(value, masking, (member, name) =>
    typeof member === 'boolean'
      ? member
      : isSecretName(name) || name === 'key' || name === 'value'
        ? maskSecret(member, name, masking)
        : maskDescription(member, masking),
  );
}

function mapItems(items: readonly unknown[], mask: (item: unknown) => unknown): unknown {
  const masked = items.map(mask);
  return masked.every((item, index) => item === items[index]) ? items : masked;
}

function mapMembers(
  value: Record<string, unknown>,
  { maskText }: Masking,
  mask: (member: unknown, name: string) => unknown,
): unknown {
  const members = Object.entries(value);
  const masked = members.map(([name, member]) => [maskText(name), mask(member, name)] as const);
  const isSame = masked.every(
    ([name, member], index) => name === members[index]?.[0] && member === members[index]?.[1],
  );
  return isSame ? value : Object.fromEntries(masked);
}
