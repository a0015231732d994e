import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage, type InstalledPackage } from '../fixtures/installed-package.ts';
import { LIBRARY_EXAMPLES, SHELL_EXAMPLES, UNNAMED_EXAMPLES } from '../fixtures/library-examples.ts';
import { compileCache, ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** The output of each example; every example must be listed. */
const EXPECTED: Readonly<Record<string, { readonly argv: readonly string[]; readonly stdout: RegExp }>> = {
  'greet.ts': {
    argv: ['greet', '--name', 'Ada', '--compact'],
    stdout: /^\{"ok":true,.*"data":\{"greeting":"Hello, Ada!"\}/u,
  },
  'ask.ts': { argv: [], stdout: /^true There are two open issues\.$/u },
  'stock.ts': { argv: [], stdout: /^true \{"bolts":12\} stock__count agent__final_report_xml$/u },
  'prompt-file.ts': {
    argv: [],
    stdout: /^check 2\nE_CONFIG .*maxTruns: is not a known key; did you mean maxTurns\?$/u,
  },
  'release-notes.ts': { argv: [], stdout: /^success 1\n0 problems$/u },
  'plan.ts': { argv: [], stdout: /^\d+ processes, \d+ candidates(?:\n\d+ [a-z]+ [\d.e-]+)*$/u },
  'shelf.ts': {
    argv: ['shelf', 'fits', '--count', '5', '--compact'],
    stdout: /^\{"ok":true,.*"data":\{"left":95\}/u,
  },
  'check-shelf.ts': { argv: [], stdout: /^true \[\]$/u },
};

describe('the examples of docs/libraries.md and docs/build-a-cli.md', () => {
  let project: InstalledPackage;
  beforeAll(async () => {
    project = await installPackage();
    for (const [name, text] of Object.entries(LIBRARY_EXAMPLES))
      writeFileSync(join(project.path, name), text);
  });
  afterAll(() => project.dispose());

  const run = (node: string, name: string, folder: string) => {
    const place = join(project.path, folder);
    mkdirSync(place, { recursive: true });
    const { status, stdout, stderr } = spawnSync(
      node,
      // Node 22 prints experimental warnings about SQLite and type stripping.
      ['--disable-warning=ExperimentalWarning', join(project.path, name), ...(EXPECTED[name]?.argv ?? [])],
      { cwd: place, env: { PATH: process.env.PATH, ...compileCache(), HOME: place }, encoding: 'utf8' },
    );
    return { status, stdout: stdout.trim(), stderr };
  };

  it('cover each library', () => {
    expect(Object.keys(LIBRARY_EXAMPLES)).toEqual(Object.keys(EXPECTED));
    const imported = Object.values(LIBRARY_EXAMPLES).map((text) => /from '(deed-cli\/\w+)'/u.exec(text)?.[1]);
    expect([...new Set(imported)]).toEqual([
      'deed-cli/contract',
      'deed-cli/agent',
      'deed-cli/work',
      'deed-cli/triage',
      'deed-cli/conformance',
    ]);
  });

  it('are all TypeScript of the pages', () => {
    expect(UNNAMED_EXAMPLES).toEqual([]);
  });

  // The short suite starts a program of each library, except of the conformance kit, which conformance-kit.test.ts runs. All types are checked.
  const SHORT = new Set(['greet.ts', 'ask.ts', 'release-notes.ts', 'plan.ts']);
  const started = Object.keys(EXPECTED).filter((name) => LONG || SHORT.has(name));
  it.each(started)('%s prints what the page shows', (name) => {
    const { status, stdout, stderr } = run(process.execPath, name, `here-${name}`);
    expect({ status, stdout }, stderr).toEqual({
      status: 0,
      stdout: expect.stringMatching(EXPECTED[name]?.stdout ?? /^$/u),
    });
  });

  it('include shell commands that write a completion script and a manual page', () => {
    copyFileSync(join(ROOT, 'examples/inventory.ts'), join(project.path, 'inventory.ts'));
    const lines = SHELL_EXAMPLES.filter((line) => / (?:completion|man) /u.test(line));
    expect(lines).toHaveLength(2);
    const { status, stderr } = spawnSync('bash', ['-ec', `${lines.join('\n')}\nbash -n inventory.bash`], {
      cwd: project.path,
      env: { PATH: process.env.PATH, HOME: project.path },
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    expect(readFileSync(join(project.path, 'inventory.bash'), 'utf8')).toMatch(/^complete .* inventory$/mu);
    expect(readFileSync(join(project.path, 'inventory.1'), 'utf8')).toMatch(/^\.TH INVENTORY 1 /u);
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

    it('runs this version of Node', () => {
      expect(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout).toMatch(/^v22\./u);
    });

    it.each(Object.keys(EXPECTED))('%s prints the same', (name) => {
      const { status, stdout, stderr } = run(node, name, `older-${name}`);
      expect({ status, stdout }, stderr).toEqual({
        status: 0,
        stdout: expect.stringMatching(EXPECTED[name]?.stdout ?? /^$/u),
      });
    });
  });
});
