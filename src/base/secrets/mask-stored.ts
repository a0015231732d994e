import { Fault } from '../fault.ts';
import { isPlainObject } from '../json.ts';
import { findSecrets } from './find-secrets.ts';
import { findTokens } from './find-tokens.ts';
import { isSecretName, kindOfName } from './secret-name.ts';
import { maskSecrets, redact } from './redact.ts';

/** What was masked before a value was stored: where, and which kind of secret. */
export type Redaction = { readonly field: string; readonly kind: string };

export interface MaskedValue<T> {
  readonly value: T;
  readonly redacted: readonly Redaction[];
}

/** Fields with names and ids. Masking a secret there would change which thing the write refers to. */
const NAMES: ReadonlySet<string> = new Set([
  'id',
  'agent',
  'key',
  'scope',
  'kind',
  'status',
  'db_path',
  'file_path',
  'project_dir',
  'type',
  'value_type',
  'expires_in',
  'expires_at',
]);

function isName(field: string): boolean {
  return NAMES.has(field) || field.endsWith('_id') || field.endsWith('_ids');
}

/**
 * Masks the secrets in what a caller wants to store and lists them, so that the reply can say what was changed. A value whose own `key`
 * is the name of a secret is one: `{"key": "db_password", "value": "…"}`.
 */
export function maskStored<T>(value: T): MaskedValue<T> {
  const redacted: Redaction[] = [];
  return { value: maskAt(value, '', redacted) as T, redacted };
}

function maskAt(value: unknown, field: string, redacted: Redaction[]): unknown {
  if (typeof value === 'string') return maskText(value, field, redacted);
  if (Array.isArray(value)) return value.map((item, index) => maskAt(item, `${field}[${index}]`, redacted));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const path = field === '' ? name : `${field}.${name}`;
      if (isName(name)) return [name, rejectToken(path, member)];
      const secretName = name === 'value' && typeof value.key === 'string' ? value.key : name;
      return [
        name,
        isSecretName(secretName)
          ? maskNamed(secretName, member, path, redacted)
          : maskAt(member, path, redacted),
      ];
    }),
  );
}

/**
 * Returns a name unchanged. Throws if it contains a token of a known format: masking the token would change what the caller refers to,
 * and without masking the token would be stored. The other rules for secrets are not applied: they are made for text and would reject ordinary names.
 */
export function rejectToken<T>(field: string, value: T): T {
  const found = typeof value === 'string' ? findTokens(value, value.toLowerCase())[0] : undefined;
  if (found === undefined) return value;
  throw new Fault(
    'E_VALIDATION',
    `${field} contains a secret (${found.kind}), which would be stored unmasked.`,
    {
      hint: 'Names and ids are not masked. Use a name without the secret.',
      details: { field, kind: found.kind },
    },
  );
}

function maskNamed(name: string, value: unknown, field: string, redacted: Redaction[]): unknown {
  const { [name]: masked } = redact({ [name]: value });
  if (masked !== value) redacted.push({ field, kind: kindOfName(name) });
  return masked;
}

function maskText(text: string, field: string, redacted: Redaction[]): string {
  const found = findSecrets(text);
  for (const kind of new Set(found.map((finding) => finding.kind))) redacted.push({ field, kind });
  return maskSecrets(text, found);
}
