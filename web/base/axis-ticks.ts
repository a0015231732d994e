/** Steps that people count in, up to a day. */
const STEPS_MS = [
  100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000,
  1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000, 43_200_000,
];
const DAY_MS = 86_400_000;

export interface Tick {
  readonly atMs: number;
  /** Such as `30s`, `2m` or `1h 30m`. */
  readonly label: string;
}

/** Round times for an axis that starts at zero, at most five after it. */
export function axisTicks(totalMs: number, most = 5): readonly Tick[] {
  const step = STEPS_MS.find((ms) => totalMs / ms <= most) ?? Math.ceil(totalMs / most / DAY_MS) * DAY_MS;
  return Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, index) => ({
    atMs: index * step,
    label: labelOf(index * step),
  }));
}

const UNITS = [
  { name: 'd', ms: DAY_MS },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
  { name: 's', ms: 1000 },
  { name: 'ms', ms: 1 },
] as const;

function labelOf(ms: number): string {
  if (ms === 0) return '0';
  const parts: string[] = [];
  let rest = ms;
  // A second and a half is not written as 1s 500ms.
  if (ms < 10_000 && ms % 1000 !== 0) return ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
  for (const unit of UNITS) {
    const count = Math.floor(rest / unit.ms);
    if (count > 0) parts.push(`${count}${unit.name}`);
    rest -= count * unit.ms;
  }
  return parts.join(' ');
}
