import type { Output } from '../../contract/dialect.ts';

/** Output that can be buffered until the reply is final. */
export interface HeldOutput extends Output {
  /** Buffers everything that is written from now on. */
  readonly hold: () => void;
  /** Writes the buffer, or drops it; later writes are not buffered. */
  readonly release: () => void;
  readonly discard: () => void;
}

export function holdOutput(output: Output): HeldOutput {
  let held: { readonly to: 'stdout' | 'stderr'; readonly text: string }[] | undefined;
  const write =
    (to: 'stdout' | 'stderr') =>
    (text: string): void => {
      if (held === undefined) output[to](text);
      else held.push({ to, text });
    };
  return {
    stdout: write('stdout'),
    stderr: write('stderr'),
    get stdoutIsTerminal() {
      return output.stdoutIsTerminal;
    },
    get stderrIsTerminal() {
      return output.stderrIsTerminal;
    },
    get columns() {
      return output.columns;
    },
    hold: () => {
      held = [];
    },
    release: () => {
      const texts = held ?? [];
      held = undefined;
      for (const { to, text } of texts) output[to](text);
    },
    discard: () => {
      held = undefined;
    },
  };
}
