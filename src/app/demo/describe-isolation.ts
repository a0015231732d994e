/** The isolation of a run, as in its receipt. */
export interface Isolation {
  readonly mode: string;
  readonly sandboxed: boolean;
  readonly isolation?: string;
  readonly fallbacks?: readonly string[];
}

/** Describes what is weaker than an overlay in a sandbox, and why; undefined if nothing is. */
export function describeIsolation({
  mode,
  sandboxed,
  isolation = 'bubblewrap',
  fallbacks = [],
}: Isolation): string | undefined {
  if (sandboxed && mode === 'overlay' && isolation === 'bubblewrap') return undefined;
  const confined = sandboxed ? `, confined by ${isolation}` : ', without a sandbox';
  const how = `${mode === 'overlay' ? 'an overlay' : 'a copy'}${confined}`;
  return [`The agents worked in ${how}.`, ...fallbacks, 'Run deed doctor for details.'].join(' ');
}
