/** Words that people use for one thing. The first word of a group represents all of them, in questions and in the descriptions of commands. */
const GROUPS = [
  'delete remove erase discard drop rid purge',
  'task ticket todo issue',
  'show see look view display inspect',
  'complete finish finished done close resolve',
  'undo revert back restore',
  'note memory fact knowledge memories',
  'start begin launch',
  'stop end terminate kill abort halt quit',
  'process program pid processes',
  'change modify edit alter',
  'config setting settings option options preference preferences configuration',
  'folder directory repository repo',
  'proof prove proven cryptographic cryptographically evidence',
  'damaged corrupt malformed broken',
  'result outcome',
  'unattended automatic automatically autonomous overnight',
  'wait depend depends dependency prerequisite after until',
  'demo demonstration tour action',
  'hook hooks integration opencode claude',
  'list enumerate',
  'error fail failure failed errored',
];

const CANONICAL: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap((group) => {
    const words = group.split(' ');
    return words.map((word) => [word, words[0] ?? word] as const);
  }),
);

/** The word that represents all words of the same meaning. */
export function canonicalWord(word: string): string {
  return CANONICAL.get(word) ?? word;
}
