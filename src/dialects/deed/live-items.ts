import { durationInWords } from '../../base/ago-in-words.ts';
import { createPaint } from '../../base/paint.ts';
import { printable } from '../../base/text.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import type { ProgressItem } from '../../contract/progress-item.ts';

/** A block of lines at the end of a terminal, one per item, redrawn in place. */
export interface LiveItems {
  readonly show: (item: ProgressItem) => void;
  /** Prints a line above the block. */
  readonly print: (text: string) => void;
  /** Leaves the last state on the screen. */
  readonly stop: () => void;
}

const REDRAW_MS = 1000;
const FAILED = /^(?:failure|denied|timeout|damaged|lost)$/u;

export function openLiveItems({ output, system }: DialectHost): LiveItems {
  const paint = createPaint(true, system.env);
  const items = new Map<string, ProgressItem>();
  let drawn = 0;
  const erase = (): void => {
    if (drawn > 0) output.stderr(`\u001B[${drawn}A\u001B[J`);
    drawn = 0;
  };
  const draw = (): void => {
    erase();
    const now = system.clock.now();
    const lines = [...items.values()].map((item) => colour(lineOf(item, now, items, output.columns), item));
    output.stderr(lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  };
  const colour = (line: string, { status, endedMs }: ProgressItem): string => {
    if (endedMs === undefined) return line;
    return FAILED.test(status) ? paint.red(line) : paint.green(line);
  };
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();
  return {
    show: (item) => {
      items.set(item.id, item);
      draw();
    },
    print: (text) => {
      erase();
      output.stderr(text);
      draw();
    },
    stop: () => clearInterval(timer),
  };
}

/** Renders the line of an item, cut to the width of the terminal: a line that wraps could not be erased. */
function lineOf(
  item: ProgressItem,
  nowMs: number,
  all: ReadonlyMap<string, ProgressItem>,
  columns: number,
): string {
  const width = Math.max(...[...all.keys()].map((id) => id.length));
  const mark = item.endedMs === undefined ? '·' : FAILED.test(item.status) ? '✗' : '✓';
  const spent = durationInWords((item.endedMs ?? nowMs) - item.startedMs);
  const parts = [`${mark} ${item.id.padEnd(width)}`, item.status.padEnd(10), spent, item.budget, item.note];
  const line = printable(parts.filter((part) => part !== undefined && part !== '').join('  '));
  const room = (Number.isFinite(columns) ? columns : 80) - 1;
  return line.length > room ? `${line.slice(0, room - 1)}…` : line;
}
