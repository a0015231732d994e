/** Set in the flags of threads that the kernel runs for itself. */
const KERNEL_THREAD = 0x0020_0000;

/** What `<pid>/stat` tells. */
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

/** Fields that are looked at, counted from the state. */
const FIELDS = 22;

/**
 * Reads `<pid>/stat`; nothing when the text is not one. The name may itself hold spaces and parentheses, so fields are counted
 * after the last parenthesis.
 */
export function parseStat(text: string): Stat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  // Split stops at the last field that is used: half the line is not needed.
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
  // A sum that is a number says that every summand was one.
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
