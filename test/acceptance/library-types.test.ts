import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage, type InstalledPackage } from '../fixtures/installed-package.ts';
import { BLOCKS } from '../fixtures/docs/blocks.ts';
import { LIBRARY_EXAMPLES } from '../fixtures/library-examples.ts';
import { typeCheck } from '../fixtures/type-check.ts';
import { ROOT } from '../fixtures/run-deed.ts';

/** The pieces of docs/agent-runtime.md, with what a program around them has. */
const PIECES = Object.fromEntries(
  BLOCKS.filter(({ page, language }) => page === 'docs/agent-runtime.md' && language === 'ts').map(
    ({ text, line }) => [
      `agent-runtime-${line}.ts`,
      `import type { openAgent } from 'deed-cli/agent';
declare const agent: Awaited<ReturnType<typeof openAgent>>;
declare function ask(tool: string, args: string): Promise<boolean>;
declare function fill(message: string, schema: object): Promise<Record<string, string>>;
declare function isLate(): boolean;
declare function isRude(text: string): boolean;
declare function shorten<Messages>(messages: Messages): Messages;
${text}`,
    ],
  ),
);

describe('the types of the libraries in the project of a user', () => {
  let project: InstalledPackage;
  let errors: readonly string[] = [];
  const expected = readFileSync(join(ROOT, 'test/fixtures/library-types.ts'), 'utf8');
  const wrong = expected.replace("Candidate['pid'], number", "Candidate['pid'], string");
  beforeAll(async () => {
    project = await installPackage();
    // One run of the compiler for all of them, because most of its time is for the declaration files.
    const files = { ...LIBRARY_EXAMPLES, ...PIECES, 'expected.ts': expected, 'wrong.ts': wrong };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project.path, name), text);
    errors = typeCheck(project.path, Object.keys(files));
  });
  afterAll(() => project.dispose());

  it('are the types that callers rely on, and the examples of docs/libraries.md and docs/agent-runtime.md compile', () => {
    expect(Object.keys(LIBRARY_EXAMPLES).length).toBeGreaterThan(3);
    expect(Object.keys(PIECES)).toHaveLength(4);
    expect(errors.filter((line) => !line.startsWith('wrong.ts'))).toEqual([]);
  });

  it('cause a compile error if one differs', () => {
    expect(wrong).not.toBe(expected);
    expect(errors.filter((line) => line.startsWith('wrong.ts'))).toHaveLength(1);
  });
});
