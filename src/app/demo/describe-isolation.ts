/** How the work of a run was isolated, as its receipt says. */
export interface Isolation {
  readonly mode: string;
  readonly sandboxed: boolean;
  readonly fallbacks?: readonly string[];
}

/** Says what is weaker than on the best machine, and why; nothing where nothing is. */
export function describeIsolation({ mode, sandboxed, fallbacks = [] }: Isolation): string | undefined {
  if (sandboxed && mode === 'overlay') return undefined;
  const how = `${mode === 'overlay' ? 'an overlay' : 'a copy'}${sandboxed ? '' : ', without a sandbox'}`;
  return [`The agents worked in ${how}.`, ...fallbacks, 'deed doctor tells what would help.'].join(' ');
}
