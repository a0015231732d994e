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

/** Position, counted from the state, of the fields that are used. */
const LAST_FIELD = 21;

/**
 * Reads `<pid>/stat`; nothing when the text is not one. The name may itself hold spaces and parentheses, so fields are counted
 * after the last parenthesis. Digits are added up in place: splitting the line would make fifty strings a process.
 */
export function parseStat(text: string): Stat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open || text.length < close + 4) return undefined;
  const values: number[] = [];
  let at = close + 4;
  for (let field = 1; field <= LAST_FIELD; field += 1) {
    let value = 0;
    let digits = 0;
    const negative = text.charCodeAt(at) === 45;
    if (negative) at += 1;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code < 48 || code > 57) break;
      value = value * 10 + (code - 48);
      digits += 1;
    }
    if (digits === 0) return undefined;
    values.push(negative ? -value : value);
    at += 1;
  }
  const field = (position: number): number => values[position - 1] ?? 0;
  return {
    comm: text.slice(open + 1, close),
    state: text.charAt(close + 2),
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
}
