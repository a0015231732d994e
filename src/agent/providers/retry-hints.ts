import { ownMember } from '../../base/own-member.ts';
import { parseRetryAfter } from '../../base/http-fault.ts';
import { isPlainObject } from '../../base/json.ts';

/**
 * Returns the retry delay of a response; undefined without one. `Retry-After` is the answer to this request and takes precedence; the
 * others, of which the longest counts, say when a whole quota is available again.
 */
export function readRetryHints(
  headers: Readonly<Record<string, string>>,
  body: unknown,
  nowMs: number,
): number | undefined {
  const error = isPlainObject(body) && isPlainObject(body.error) ? body.error : {};
  const all = [...Object.entries(headers), ...bodyHeaders(error)].map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return (
    longest(all.map(([name, value]) => retryAfterWait(name, value, nowMs))) ??
    longest([...all.map(([name, value]) => resetHeaderWait(name, value, nowMs)), ...bodyWaits(error)])
  );
}

function longest(waits: readonly (number | undefined)[]): number | undefined {
  const valid = waits.filter((wait) => wait !== undefined && Number.isFinite(wait) && wait >= 0) as number[];
  return valid.length === 0 ? undefined : Math.max(...valid);
}

function retryAfterWait(name: string, value: string, nowMs: number): number | undefined {
  if (name === 'retry-after') return fractionalSeconds(value) ?? parseRetryAfter(value, nowMs);
  return name === 'retry-after-ms' && value.trim() !== '' ? Number(value) : undefined;
}

function resetHeaderWait(name: string, value: string, nowMs: number): number | undefined {
  if (name.startsWith('x-ratelimit-reset')) return resetWait(value, nowMs);
  if (/^anthropic-ratelimit-.+-reset$/u.test(name)) return parseRetryAfter(value, nowMs);
  return undefined;
}

/** Parses a duration such as `6m0.5s`, seconds from now, or a Unix time in seconds or milliseconds. */
function resetWait(value: string, nowMs: number): number | undefined {
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/u.test(text)) {
    const number = Number(text);
    if (number > 1e12) return number - nowMs;
    return number > 1e9 ? number * 1000 - nowMs : number * 1000;
  }
  return parseDuration(text) ?? parseRetryAfter(text, nowMs);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/u.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gu))
    total += Number(amount) * (ownMember(UNIT_MS, unit ?? '') ?? 0);
  return total;
}

/** Parses fractional seconds. Must run before date parsing, because `Date` parses 1.5 as January 5. */
function fractionalSeconds(value: string): number | undefined {
  return /^\d+\.\d+$/u.test(value.trim()) ? Number(value) * 1000 : undefined;
}

/** Returns the headers that OpenRouter repeats in the body. */
function bodyHeaders({ metadata }: Readonly<Record<string, unknown>>): [string, string][] {
  const headers = isPlainObject(metadata) && isPlainObject(metadata.headers) ? metadata.headers : {};
  return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}

/** Returns the delays in a body; Google sends one in the details. */
function bodyWaits(error: Readonly<Record<string, unknown>>): (number | undefined)[] {
  const details = Array.isArray(error.details) ? error.details : [];
  return [
    ...details.map((detail: unknown) =>
      isPlainObject(detail) && typeof detail.retryDelay === 'string'
        ? parseDuration(detail.retryDelay)
        : undefined,
    ),
    typeof error.retry_after === 'number' ? error.retry_after * 1000 : undefined,
  ];
}
