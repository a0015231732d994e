/** The isolation of a run, as in its receipt. */
export interface Isolation {
  readonly mode: string;
  readonly sandboxed: boolean;
  readonly fallbacks?: readonly string[];
}

/** Describes what is weaker than an overlay in a sandbox, and why; undefined if nothing is. */
export function describeIsolation({ mode, sandboxed, fallbacks = [] }: Isolation): string | undefined {
  if (sandboxed && mode === 'overlay') return undefined;
  const how = `${mode === 'overlay' ? 'an overlay' : 'a copy'}${sandboxed ? '' : ', without a sandbox'}`;
  return [`The agents worked in ${how}.`, ...fallbacks, 'Run deed doctor for details.'].join(' ');
}
