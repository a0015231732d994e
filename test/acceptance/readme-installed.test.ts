import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishBuild } from '../fixtures/npm-packages.ts';
import { startNpmRegistry, type NpmRegistry } from '../fixtures/npm-registry.ts';
import { giveToOrdinaryAccount, ordinaryAccount } from '../fixtures/ordinary-account.ts';
import { readmeBlocks, readmeCommands } from '../fixtures/readme-commands.ts';
import { removeUsedFolder } from '../fixtures/remove-used-folder.ts';
import { ROOT, waitFor, type Run } from '../fixtures/run-deed.ts';
import { scriptedClaude } from '../fixtures/scripted-claude.ts';
import { LONG } from '../fixtures/start-node.ts';

/** The README of a user: an ordinary account, the packed packages from a registry, and a folder that is not a checkout. */
describe.runIf(LONG)('the README, for an ordinary user', () => {
  const account = ordinaryAccount ?? {};
  let registry: NpmRegistry;
  let root = '';
  let project = '';
  let env: Record<string, string> = {};
  const run = (command: string, cwd = project): Promise<Run> =>
    waitFor(spawn('bash', ['-c', command], { cwd, env, ...account }));
  /** A folder of the user. */
  const folder = (...parts: string[]): string => {
    const path = join(root, ...parts);
    mkdirSync(path, { recursive: true });
    giveToOrdinaryAccount(path);
    return path;
  };

  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deed-readme-')));
    chmodSync(root, 0o755);
    registry = await startNpmRegistry();
    await publishBuild(registry, join(root, 'packages'));
    const home = folder('home');
    folder('home/.local');
    const bin = folder('home/.local/bin');
    project = folder('home/project');
    writeFileSync(join(bin, 'claude'), scriptedClaude(['echo fixed > fixed.txt']), { mode: 0o755 });
    // The test of a user; an install for each call would take long.
    writeFileSync(join(bin, 'npm-test'), '#!/bin/sh\ntest -f fixed.txt\n', { mode: 0o755 });
    execFileSync('git', ['init', '-q', project], account);
    env = {
      PATH: [join(home, 'prefix/bin'), bin, process.env.PATH].join(delimiter),
      HOME: home,
      ANTHROPIC_API_KEY: 'a-key-for-tests',
      npm_config_prefix: join(home, 'prefix'),
      npm_config_registry: registry.url,
      npm_config_cache: join(home, 'cache'),
    };
  });
  afterAll(async () => {
    await registry.close();
    removeUsedFolder(root);
  });

  it('has commands that work as printed', async () => {
    let token = '';
    const codes: Record<string, number | null> = {};
    for (const line of readmeCommands()) {
      const command = line
        .replace('cd your-repository', 'true')
        .replace('ct_…', token)
        .replace('test_command: npm test', 'test_command: npm-test');
      const ran = await run(command);
      token = /ct_[\w-]+/u.exec(ran.stdout)?.[0] ?? token;
      codes[line.replace(/\s*#.*/u, '')] = ran.code;
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
    expect(existsSync(join(project, 'fixed.txt'))).toBe(true);
    expect(readFileSync(join(root, 'home/.claude/settings.json'), 'utf8')).toContain(
      `${join(root, 'home/prefix/bin/vybe')} hook session-start`,
    );
  });

  it('has a program of the library that runs', async () => {
    const tree = folder('home/library');
    execFileSync('git', ['init', '-q', tree], account);
    writeFileSync(join(tree, '.gitignore'), 'node_modules\npackage*.json\nfix.mjs\n');
    expect((await run('npm install --no-audit --no-fund deed-cli', tree)).code).toBe(0);
    const [program = '', ...others] = readmeBlocks('ts');
    expect(others).toEqual([]);
    const text = program.replace("'npm test'", "'npm-test'");
    writeFileSync(join(tree, 'fix.mjs'), `${text}console.log(JSON.stringify(result));\n`);
    const { stdout, stderr } = await run('node fix.mjs', tree);
    expect([stderr, JSON.parse(stdout)]).toEqual(['', expect.objectContaining({ status: 'success' })]);
    expect(readFileSync(join(tree, 'fixed.txt'), 'utf8')).toBe('fixed\n');
  });

  it('has an entry for MCP clients that starts a server', async () => {
    const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const entry = JSON.parse(/`(\{ "mcpServers".*?)`/u.exec(text)?.[1] ?? '').mcpServers.deed;
    const client = new Client({ name: 'a client', version: '1.0.0' });
    // The transport starts it with the account of this process, which needs its own home.
    const cwd = join(root, 'client');
    mkdirSync(cwd);
    const own = { ...env, HOME: cwd, npm_config_cache: join(cwd, 'cache') };
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
