import { createPaint, wantsColour } from '../../base/paint.ts';
import { excerpt, printable } from '../../base/text.ts';
import type { DialectHost } from '../../contract/dialect.ts';

/** Prints progress lines of a running session on standard error. */
export interface LiveProgress {
  readonly show: (line: string) => void;
  /** Erases a transient line before other output. */
  readonly clear: () => void;
}

/** Lines that the next line replaces. */
const TRANSIENT = /^(?:\[[^\]]*\] )?[·→] /u;

/**
 * On a terminal, transient lines replace each other in place, and results stay above them in colour. Elsewhere every line is plain, and
 * transient lines are omitted.
 */
export function liveProgress({ output, system }: DialectHost): LiveProgress {
  // Without colours, for example with NO_COLOR, no other escape sequences are written either.
  if (!output.stderrIsTerminal || system.env.TERM === 'dumb' || !wantsColour(true, system.env)) {
    return {
      show: (line) => {
        if (!TRANSIENT.test(line)) output.stderr(`${oneLine(line)}\n`);
      },
      clear: () => {},
    };
  }
  const paint = createPaint(true, system.env);
  let hasTransientLine = false;
  const clear = (): void => {
    if (hasTransientLine) output.stderr('\r\u001B[K');
    hasTransientLine = false;
  };
  return {
    clear,
    show: (line) => {
      clear();
      const text = oneLine(line);
      if (TRANSIENT.test(line)) {
        // A wrapped line could not be erased.
        const width = Number.isFinite(output.columns) ? output.columns - 1 : 79;
        output.stderr(paint.dim(excerpt(text, Math.max(20, width - 1))));
        hasTransientLine = true;
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
