import { createPaint } from '../../base/paint.ts';
import { excerpt, printable } from '../../base/text.ts';
import type { DialectHost } from '../../contract/dialect.ts';

/** Shows lines about a running session on standard error. */
export interface LiveProgress {
  readonly show: (line: string) => void;
  /** Removes a passing line, so that nothing stands before what comes next. */
  readonly clear: () => void;
}

/** Lines of these kinds are only of interest until the next one. */
const PASSING = /^(?:\[[^\]]*\] )?[·→] /u;

/**
 * On a terminal passing lines replace each other in place, and outcomes stay above them in colour; anywhere else every line is a
 * plain line of its own, and those that only pass are left out.
 */
export function liveProgress({ output, system }: DialectHost): LiveProgress {
  if (!output.stderrIsTerminal || system.env.TERM === 'dumb') {
    return {
      show: (line) => {
        if (!PASSING.test(line)) output.stderr(`${oneLine(line)}\n`);
      },
      clear: () => {},
    };
  }
  const paint = createPaint(true, system.env);
  let passing = false;
  const clear = (): void => {
    if (passing) output.stderr('\r\u001B[K');
    passing = false;
  };
  return {
    clear,
    show: (line) => {
      clear();
      const text = oneLine(line);
      if (PASSING.test(line)) {
        // A line that wraps could not be taken back.
        const width = Number.isFinite(output.columns) ? output.columns - 1 : 79;
        output.stderr(paint.dim(excerpt(text, Math.max(20, width - 1))));
        passing = true;
        return;
      }
      const colour = /(?:^|\] )✗/u.test(text)
        ? paint.red
        : /(?:^|\] )✓/u.test(text)
          ? paint.green
          : (plain: string) => plain;
      output.stderr(`${colour(text)}\n`);
    },
  };
}

function oneLine(line: string): string {
  return printable(line).replaceAll(/\s*\n\s*/gu, ' ');
}
