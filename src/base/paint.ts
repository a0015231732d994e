/** Colours for a terminal, or functions that return the text unchanged. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Creates colours when the output supports them. */
export function createPaint(terminal: boolean, env: Environment): Paint {
  const on = wantsColour(terminal, env);
  const style =
    (code: number) =>
    (text: string): string =>
      on ? `\u001B[${code}m${text}\u001B[0m` : text;
  return { bold: style(1), dim: style(2), red: style(31), green: style(32), yellow: style(33) };
}

/**
 * Reads the usual variables, in this order: a non-empty NO_COLOR disables colours; FORCE_COLOR and CLICOLOR_FORCE enable them
 * anywhere, and FORCE_COLOR=0 disables them; otherwise they need a terminal that is not dumb, and no CLICOLOR=0.
 */
export function wantsColour(terminal: boolean, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !isOff(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE && !isOff(env.CLICOLOR_FORCE)) return true;
  return terminal && env.TERM !== 'dumb' && !isOff(env.CLICOLOR);
}

function isOff(value: string | undefined): boolean {
  return value === '0' || value === 'false';
}
