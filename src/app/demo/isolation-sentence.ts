import { ownMember } from '../../base/own-member.ts';

/** The isolation of a run, as in its receipt. */
export interface ReceiptIsolation {
  readonly mode: string;
  readonly sandboxed: boolean;
  readonly isolation?: string;
  readonly fallbacks?: readonly string[];
}

const NAMES: Readonly<Record<string, string>> = {
  bubblewrap: 'bubblewrap',
  namespace: 'a user namespace',
  landlock: 'Landlock',
};

/** Renders how the agents were confined and, if that is weaker than an overlay in a sandbox, why. */
export function isolationSentence({
  mode,
  sandboxed,
  isolation = 'none',
  fallbacks = [],
}: ReceiptIsolation): string {
  const confined = sandboxed
    ? `, confined by ${ownMember(NAMES, isolation) ?? isolation}`
    : ', without a sandbox';
  const how = `${mode === 'overlay' ? 'an overlay' : 'a copy'}${confined}`;
  const doctor = fallbacks.length > 0 || !sandboxed ? ['Run deed doctor for details.'] : [];
  return [`The agents worked in ${how}.`, ...fallbacks, ...doctor].join(' ');
}
