const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const ABSOLUTE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const NUMBER = new Intl.NumberFormat('en');

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1000 },
] as const;

/** Such as `4 min. ago` or `just now`. */
export function formatAge(iso: string, nowMs: number): string {
  const ageMs = Math.max(0, nowMs - Date.parse(iso));
  const found = UNITS.find((entry) => ageMs >= entry.ms);
  if (found === undefined) return 'just now';
  const { unit, ms } = found;
  return RELATIVE.format(-Math.floor(ageMs / ms), unit);
}

export function formatTime(iso: string): string {
  return ABSOLUTE.format(new Date(iso));
}

export function formatClock(iso: string): string {
  return CLOCK.format(new Date(iso));
}

/** Such as `1h 05m`, `2m 36s`, `4.2s` or `850ms`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${pad(Math.floor((seconds % 3600) / 60))}m`;
}

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

export function formatCost(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}

/** The name of an agent without its job, or of a person. */
export function callerName(name: string): string {
  return name.replace(/^user:/u, '').replace(/@job_\w+$/u, '');
}

/** Why a task is blocked. The store writes the kind of reason before a colon without a space. */
export function formatReason(reason: string | undefined): string {
  if (reason === undefined) return 'no reason given';
  const [kind = ''] = reason.split(':', 1);
  const word = REASONS.get(kind);
  const text = word === undefined ? reason : `${word}: ${reason.slice(kind.length + 1).trimStart()}`;
  return text.replace(/\bRejected by user:/u, 'Rejected by ');
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['failure', 'Failed'],
  ['denied', 'Denied'],
  ['timeout', 'Timed out'],
  ['interrupted', 'Interrupted'],
]);

export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
}
