/** Colours for a terminal, or none at all. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Colours only where a person sees them. */
export function createPaint(terminal: boolean, env: Environment): Paint {
  const on = wantsColour(terminal, env);
  const style =
    (code: number) =>
    (text: string): string =>
      on ? `\u001B[${code}m${text}\u001B[0m` : text;
  return { bold: style(1), dim: style(2), red: style(31), green: style(32), yellow: style(33) };
}

/**
 * Decides by the usual variables, in this order: NO_COLOR, unless empty, turns colours off; FORCE_COLOR and CLICOLOR_FORCE turn them on
 * anywhere, and FORCE_COLOR=0 off; else they need a terminal that is not dumb, and no CLICOLOR=0.
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
