import { stemWord } from './stem-word.ts';

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
  'database db sqlite',
  'machine computer box laptop',
  'model llm gpt',
  'large big huge',
];

const CANONICAL: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap((group) => {
    const [representative = '', ...others] = group.split(' ').map(stemWord);
    return [representative, ...others].map((stem) => [stem, representative] as const);
  }),
);

/** The stem that represents a word and all words of the same meaning, with any ending: "corrupted" is "damaged". */
export function canonicalStem(word: string): string {
  const stem = stemWord(word);
  return CANONICAL.get(stem) ?? stem;
}
