/**
 * Results of workspace tools whose wording changed after version 2 of the instructions: today's text and the recorded one. A replay of an
 * older recording compares its tool results in the recorded wording.
 */
const CHANGED: readonly (readonly [today: RegExp, recorded: string])[] = [
  [/ is outside the tree; only (.*?) is accessible/gu, ' lies outside of the tree; only $1 is open'],
  [/ belongs to git and is not part of the tree/gu, ' belongs to git; it is no part of the tree'],
  [
    / leads to git's own folder, which is not part of the tree/gu,
    " leads to git's own folder; it is no part of the tree",
  ],
  [/ is a link to a file that does not exist/gu, ' is a link to something that is not there'],
  [/ is not a regular file/gu, ' is no regular file'],
  [/; continue at offset (\d+)/gu, '; go on with offset $1'],
  [
    /the command did not finish within (\d+) ms and was killed/gu,
    'the command did not end within $1 ms and was ended',
  ],
];

/** Returns the JSON of a tool result as an older recording has it. */
export function inEarlierWording(json: string): string {
  return CHANGED.reduce((text, [today, recorded]) => text.replaceAll(today, recorded), json);
}
