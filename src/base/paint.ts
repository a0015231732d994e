/** Colours for a terminal, or none at all. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Colours only where a person sees them: a terminal, and no wish against it in the environment. */
export function createPaint(terminal: boolean, env: Readonly<Record<string, string | undefined>>): Paint {
  const on = terminal && !env.NO_COLOR && env.TERM !== 'dumb';
  const style =
    (code: number) =>
    (text: string): string =>
      on ? `\u001B[${code}m${text}\u001B[0m` : text;
  return { bold: style(1), dim: style(2), red: style(31), green: style(32), yellow: style(33) };
}
