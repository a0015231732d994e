import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/build-constants.ts';
import { AVOIDED } from './plain-words.ts';

/** The list itself, what 0.1.0 wrote, text that recordings of 0.1.0 contain, the words in which users search, and what tools generate. */
const EXEMPT =
  /^test\/fixtures\/0\.1\.0\/|^test\/architecture\/plain-|^src\/agent\/providers\/(?:earlier-wording|script-provider\.test)\.ts$|^src\/entrypoints\/mcp\/command-phrases\.ts$|^package-lock\.json$|^test\/fixtures\/.*\.json$/u;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(?:tsx?|md|sql|sh|json|yml)$/u.test(path) && !EXEMPT.test(path));

describe('source, help and docs', () => {
  it.each(AVOIDED)('contain nothing like %s', (pattern, instead) => {
    // Line by line only where there is something to report: a pattern that is in a line is also in the text.
    const found = files.filter((path) => pattern.test(read(path))).flatMap((path) => linesOf(path, pattern));
    expect(found.map((line) => `${line} (write: ${instead})`)).toEqual([]);
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
