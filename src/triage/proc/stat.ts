/** The flag of kernel threads. */
const KERNEL_THREAD = 0x0020_0000;

/** The contents of `<pid>/stat`. */
export interface Stat {
  readonly comm: string;
  readonly state: string;
  readonly ppid: number;
  readonly group: number;
  readonly session: number;
  readonly tty: number;
  readonly kernel: boolean;
  readonly cpuTicks: number;
  readonly threads: number;
  readonly startTicks: number;
  readonly rssPages: number;
}

/** The number of fields that are read, starting with the state. */
const FIELDS = 22;

/**
 * Parses `<pid>/stat`; undefined when it is invalid. The name can contain spaces and parentheses, so fields are counted after the last
 * parenthesis.
 */
export function parseStat(text: string): Stat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  // The limit stops the split at the last used field.
  const fields = text.slice(close + 2).split(' ', FIELDS);
  const field = (position: number): number => Number(fields[position]);
  const stat = {
    comm: text.slice(open + 1, close),
    state: fields[0] ?? '',
    ppid: field(1),
    group: field(2),
    session: field(3),
    tty: field(4),
    kernel: (field(6) & KERNEL_THREAD) !== 0,
    cpuTicks: field(11) + field(12),
    threads: field(17),
    startTicks: field(19),
    rssPages: field(21),
  };
  // The sum is finite only if every summand is.
  const all =
    stat.ppid +
    stat.group +
    stat.session +
    stat.tty +
    stat.cpuTicks +
    stat.threads +
    stat.startTicks +
    stat.rssPages;
  return fields.length === FIELDS && Number.isFinite(all) ? stat : undefined;
}
