/**
 * Results of workspace tools whose wording changed after version 2 of the instructions: today's text and the recorded one. A replay of an
 * older recording compares its tool results in the recorded wording.
 */
const CHANGED: readonly (readonly [today: RegExp, recorded: string])[] = [
  [/ is outside the tree; only (.*?) is accessible/gu, ' lies outside of the tree; only $1 is open'],
  [/ belongs to git and is not part of the tree/gu, ' belongs to git; it is no part of the tree'],
  [
    / points to the folder of git, which is not part of the tree/gu,
    " leads to git's own folder; it is no part of the tree",
  ],
  [/ is a link to a file that does not exist/gu, ' is a link to something that is not there'],
  [/ is not a regular file/gu, ' is no regular file'],
  [/; continue at offset (\d+)/gu, '; go on with offset $1'],
  [/include more of the surrounding text, or set all/gu, 'give more of what stands around it, or set all'],
  [/\(tool failed: unknown tool /gu, '(tool failed: there is no tool '],
  [/\(tool failed: the operation failed \((\w+)\)/gu, '(tool failed: the system refuses it ($1)'],
  [
    /\(tool failed: a parent of this path is a file, not a folder/gu,
    '(tool failed: something above it is a file, not a folder',
  ],
  [/\(tool failed: permission denied/gu, '(tool failed: it may not be read or written'],
  [/\(tool failed: the file system is read-only/gu, '(tool failed: it is read-only'],
  [
    /\(tool failed: the file would exceed the maximum size/gu,
    '(tool failed: it grows beyond what a file may be',
  ],
  [/\(tool failed: no space is left on the disk/gu, '(tool failed: there is no room for it'],
  [/\(tool failed: the (file|folder) (.*?) does not exist/gu, '(tool failed: there is no $1 $2'],
  [
    /, which is too large to read at once; read a part of it with a command/gu,
    ', which is too much to read at once; take a part of it with a command',
  ],
  [
    /is too long; read a part of it with a command/gu,
    'is longer than what fits; take a part of it with a command',
  ],
  [/ more; list a subfolder\]/gu, ' more; list a folder below]'],
  [
    /\[truncated: (\d+) entries in total; list a subfolder\]/gu,
    '[cut off: $1 entries in all; list a folder below]',
  ],
  [/\[truncated: (\d+) matches in total;/gu, '[cut off: $1 matches in all;'],
  [/ points outside the tree through a link, to /gu, ' leads out of the tree through a link, to '],
  [/ is a link to itself/gu, ' is a link that leads to itself'],
  [/\(tool failed: (\w+) must be a string/gu, '(tool failed: $1 must be text'],
  [/\(tool failed: (\w+) must be an integer of at least 1/gu, '(tool failed: $1 must be a number from 1'],
  [
    /the command did not finish within (\d+) ms and was killed/gu,
    'the command did not end within $1 ms and was ended',
  ],
];

/** Returns the JSON of a tool result as an older recording has it. */
export function inEarlierWording(json: string): string {
  return CHANGED.reduce((text, [today, recorded]) => text.replaceAll(today, recorded), json);
}
