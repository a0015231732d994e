import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage, type InstalledPackage } from '../fixtures/installed-package.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { typeCheck } from '../fixtures/type-check.ts';

/** The examples of docs/libraries.md, by the file name that follows the language. */
const PAGE = readFileSync(join(ROOT, 'docs/libraries.md'), 'utf8');
const EXAMPLES = Object.fromEntries(
  [...PAGE.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gmu)].map(([, name = '', text = '']) => [name, text]),
);

/** What each example prints; every one of them must be listed. */
const EXPECTED: Readonly<Record<string, { readonly argv: readonly string[]; readonly stdout: RegExp }>> = {
  'greet.ts': {
    argv: ['greet', '--name', 'Ada', '--compact'],
    stdout: /^\{"ok":true,.*"data":\{"greeting":"Hello, Ada!"\}/u,
  },
  'ask.ts': { argv: [], stdout: /^true There are two open issues\.$/u },
  'release-notes.ts': { argv: [], stdout: /^success 1\n0 problems$/u },
  'plan.ts': { argv: [], stdout: /^\d+ processes, \d+ candidates(?:\n\d+ [a-z]+ [\d.e-]+)*$/u },
};

describe('the examples of docs/libraries.md', () => {
  let project: InstalledPackage;
  beforeAll(async () => {
    project = await installPackage();
    for (const [name, text] of Object.entries(EXAMPLES)) writeFileSync(join(project.path, name), text);
  });
  afterAll(() => project.dispose());

  const run = (node: string, name: string, folder: string) => {
    const place = join(project.path, folder);
    mkdirSync(place, { recursive: true });
    const { status, stdout, stderr } = spawnSync(
      node,
      // Node 22 warns about SQLite and about the types in the example; that is not part of what the example prints.
      ['--disable-warning=ExperimentalWarning', join(project.path, name), ...(EXPECTED[name]?.argv ?? [])],
      { cwd: place, env: { PATH: process.env.PATH, HOME: place }, encoding: 'utf8' },
    );
    return { status, stdout: stdout.trim(), stderr };
  };

  it('are one for each library', () => {
    expect(Object.keys(EXAMPLES)).toEqual(Object.keys(EXPECTED));
    const imported = Object.values(EXAMPLES).map((text) => /from '(deed-cli\/\w+)'/u.exec(text)?.[1]);
    expect(imported).toEqual(['deed-cli/contract', 'deed-cli/agent', 'deed-cli/work', 'deed-cli/triage']);
  });

  it('pass the type checker', () => {
    expect(typeCheck(project.path, Object.keys(EXAMPLES))).toEqual([]);
  });

  it.each(Object.keys(EXPECTED))('%s does what the page says', (name) => {
    const { status, stdout, stderr } = run(process.execPath, name, `here-${name}`);
    expect({ status, stdout }, stderr).toEqual({
      status: 0,
      stdout: expect.stringMatching(EXPECTED[name]?.stdout ?? /^$/u),
    });
  });

  describe.runIf(LONG)('on Node 22', () => {
    const older = temporaryFolder('node-22');
    const node = join(older.path, 'node_modules/.bin/node');
    beforeAll(() => {
      writeFileSync(join(older.path, 'package.json'), '{"private":true,"allowScripts":{"node":true}}\n');
      spawnSync('npm', ['install', 'node@22', '--no-audit', '--no-fund'], {
        cwd: older.path,
        stdio: 'inherit',
      });
    });
    afterAll(() => older.dispose());

    it('is the version that runs', () => {
      expect(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout).toMatch(/^v22\./u);
    });

    it.each(Object.keys(EXPECTED))('%s does the same', (name) => {
      const { status, stdout, stderr } = run(node, name, `older-${name}`);
      expect({ status, stdout }, stderr).toEqual({
        status: 0,
        stdout: expect.stringMatching(EXPECTED[name]?.stdout ?? /^$/u),
      });
    });
  });
});
