import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/build-constants.ts';
import { AVOIDED } from './plain-words.ts';

/** The list itself, what 0.1.0 wrote, text that recordings of 0.1.0 contain, the words in which users search, and what tools generate. */
const EXEMPT =
  /^test\/fixtures\/0\.1\.0\/|^test\/architecture\/plain-|^src\/agent\/providers\/(?:earlier-wording|script-provider\.test)\.ts$|^src\/entrypoints\/mcp\/command-phrases\.ts$|^src\/continuity\/memory\/search\/related-words\.ts$|^package-lock\.json$|^test\/fixtures\/.*\.json$/u;

/** Source, scripts, docs, pages, workflows, units and completions. */
const SCANNED =
  /\.(?:[cm]?[jt]s|[jt]sx|css|py|md|sql|sh|json|ya?ml|html|txt|\d|service|bash|fish)$|^share\/completions\//u;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => SCANNED.test(path) && !EXEMPT.test(path));

describe('source, help and docs', () => {
  it.each(AVOIDED)('contain nothing like %s', (pattern, instead) => {
    // Line by line only where there is something to report: a pattern that is in a line is also in the text.
    const found = files.filter((path) => pattern.test(read(path))).flatMap((path) => linesOf(path, pattern));
    expect(found.map((line) => `${line} (write: ${instead})`)).toEqual([]);
  });
});

/** Phrases that stopped readers: each must match a pattern, so that a change of a pattern cannot lose one. */
const SEEN = [
  'the test house, its rooms and papers',
  'the heads of the commands',
  'somebody must read it',
  'whoever reads it',
  'nobody is at the other end',
  'the run goes on',
  'it comes to an end',
  'this is no failure',
  'Bring what killed processes left behind to an end',
  'Do a successful run over again',
  'in a throwaway folder',
  'Free the disk from what no run needs any more',
  'Say that a task depends on another',
  'Take a dependency away',
  'End the work on a task',
  'Tell what changed between versions',
  'A manifest holds a line that is none.',
  'The push says nothing.',
  'lastWords',
  'complaints()',
  'Workshop',
  'takeLook',
  'SessionHappening',
  'strike',
  'mayStayAway',
  'RELUCTANCE',
  'looking is reading',
  'nothing on the way gets hot',
  'nothing runs free unasked',
  'Receipts say so',
  'a live run is on record',
  'what speaks for and against it',
  'missing data never speaks against a process',
  'when a caller learns why its job waits',
  'a worker that died',
  'they are never ended automatically',
  'together they hold 12 MB',
  'The home takes 0.0 MB',
  'this command is to be kept',
  'If the clock is right, it counts after 20 writes',
  'signatures, hashes and chain are right',
  'changed, or not complete',
  'The agent said last',
  'the ref by which a clone remembers the tip',
  'the loser signs again',
  'what runs is finished, nothing else is taken',
  'Nothing here ends a process',
  'Ages are faked',
  'lines that a crash tore off',
  'Flags of every write',
  'Missing user prompt. Pass a user prompt.',
];

describe('the patterns', () => {
  it.each(SEEN)('match: %s', (phrase) => {
    expect(AVOIDED.some(([pattern]) => pattern.test(phrase))).toBe(true);
  });
});

/** Each line with the pattern, with its place. */
function linesOf(path: string, pattern: RegExp): readonly string[] {
  return read(path)
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []));
}

const texts = new Map<string, string>();

function read(path: string): string {
  const text = texts.get(path) ?? readIfPresent(join(ROOT, path));
  texts.set(path, text);
  return text;
}

/** A file may be deleted in the working tree and not yet in the index. */
function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
