import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLOCKS } from '../fixtures/docs/blocks.ts';
import { isPrinted, shownOutputs } from '../fixtures/docs/commands.ts';
import { createInstalledAccount, type InstalledAccount } from '../fixtures/installed-account.ts';
import { ordinaryAccount } from '../fixtures/ordinary-account.ts';
import { readmeBlocks, readmeCommands } from '../fixtures/readme-commands.ts';
import { checkStory, storyScript } from '../fixtures/readme-story.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

/** The README of a user: an ordinary account, the packed packages from a registry, and a folder that is not a checkout. */
describe.runIf(LONG)('the README, for an ordinary user', () => {
  let account: InstalledAccount;
  beforeAll(async () => {
    account = await createInstalledAccount('readme');
    // The test of a user; an install for each call would take long.
    writeFileSync(join(account.home, '.local/bin/npm-test'), '#!/bin/sh\ntest -f fixed.txt\n', {
      mode: 0o755,
    });
  });
  afterAll(() => account?.close());

  it('has commands that work as printed', async () => {
    let token = '';
    const codes: Record<string, number | null> = {};
    const shown = new Map(
      BLOCKS.filter(({ page }) => page === 'README.md').flatMap((block) => [...shownOutputs(block)]),
    );
    let compared = 0;
    for (const line of readmeCommands()) {
      const command = line
        .replace('cd your-repository', 'true')
        .replace('ct_…', token)
        .replace('test_command: npm test', 'test_command: npm-test');
      const ran = await account.run(command);
      token = /ct_[\w-]+/u.exec(ran.stdout)?.[0] ?? token;
      codes[line.replace(/\s*#.*/u, '')] = ran.code;
      const output = shown.get(line);
      if (output === undefined) continue;
      compared += 1;
      expect([line, isPrinted(output, ran.stdout), ran.stdout]).toEqual([line, true, ran.stdout]);
    }
    expect(codes).toMatchObject({
      'npm install --global deed-cli': 0,
      'deed setup --dry-run --format text': 0,
      'deed setup --confirm ct_…': 0,
      'deed work run plan.yaml --dry-run --format text': 0,
      'deed work run plan.yaml --confirm ct_…': 0,
      'deed triage plan --format text': 0,
      'npx -y deed-cli demo': 0,
      'deed config set list.limit 100': 5,
      'deed config set list.limit 100 --confirm ct_…': 0,
    });
    expect(Object.entries(codes).filter(([, code]) => code !== 0)).toEqual([
      ['deed config set list.limit 100', 5],
    ]);
    expect(compared).toBe(3);
    expect(existsSync(join(account.project, 'fixed.txt'))).toBe(true);
    expect(readFileSync(join(account.home, '.claude/settings.json'), 'utf8')).toContain(
      `${join(account.home, 'prefix/bin/vybe')} hook session-start`,
    );
  });

  it('has a story of two agents that the installed vybe tells', async () => {
    expect((await account.run('command -v vybe')).stdout.trim()).toBe(join(account.home, 'prefix/bin/vybe'));
    checkStory(await account.run(storyScript()));
  });

  it('has a program of the library that runs', async () => {
    const tree = account.folder('home/library');
    execFileSync('git', ['init', '-q', tree], ordinaryAccount ?? {});
    writeFileSync(join(tree, '.gitignore'), 'node_modules\npackage*.json\nfix.mjs\n');
    expect((await account.run('npm install --no-audit --no-fund deed-cli', tree)).code).toBe(0);
    const [program = '', ...others] = readmeBlocks('ts');
    expect(others).toEqual([]);
    const text = program.replace("'npm test'", "'npm-test'");
    writeFileSync(join(tree, 'fix.mjs'), `${text}console.log(JSON.stringify(result));\n`);
    const { stdout, stderr } = await account.run('node fix.mjs', tree);
    expect([stderr, JSON.parse(stdout)]).toEqual(['', expect.objectContaining({ status: 'success' })]);
    expect(readFileSync(join(tree, 'fixed.txt'), 'utf8')).toBe('fixed\n');
  });

  it('has an entry for MCP clients that starts a server', async () => {
    const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const entry = JSON.parse(/`(\{ "mcpServers".*?)`/u.exec(text)?.[1] ?? '').mcpServers.deed;
    const client = new Client({ name: 'a client', version: '1.0.0' });
    // The transport starts it with the account of this process, which needs its own home.
    const cwd = join(account.root, 'client');
    mkdirSync(cwd);
    const own = { ...account.env, HOME: cwd, npm_config_cache: join(cwd, 'cache') };
    await client.connect(new StdioClientTransport({ ...entry, cwd, env: own }));
    const { tools } = await client.listTools();
    await client.close();
    expect(tools).toHaveLength(4);
  });

  it('names ways to install that exist', () => {
    const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const install = readFileSync(join(ROOT, 'docs/install.md'), 'utf8');
    const rows = [...text.matchAll(/^\| (npm|script|Homebrew|Docker|checkout) \| (.*) \|$/gmu)];
    expect(rows.map(([, way]) => way)).toEqual(['npm', 'script', 'Homebrew', 'Docker', 'checkout']);
    // The page has the same commands; the suites of the package, the script and the release run or check them.
    const commands = rows.flatMap(([, , cell = '']) =>
      [...cell.matchAll(/`((?:npm install|npx -y|curl)[^`]*)`/gu)].map(([, command = '']) =>
        command.replaceAll(String.raw`\|`, '|').replace(' <command>', ''),
      ),
    );
    expect(commands).toHaveLength(3);
    expect(commands.filter((command) => !install.includes(command))).toEqual([]);
  });
});
