import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KILLABLE_DEED } from '../fixtures/killable-deed.ts';
import { confirmed, createHome, deed, executable, type Run } from '../fixtures/run-deed.ts';
import { rowsOf } from '../fixtures/start-node.ts';

/** Configuration that people have, with everything that a careless rewrite would lose. */
const THEIRS: Readonly<Record<string, string>> = {
  '.claude.json':
    '{"numStartups": 3,"mcpServers":{"github":{"command":"gh-mcp","env":{"TOKEN":"secret-1"}}},\t"z": 1}',
  '.claude/settings.json':
    '{\n   "model" : "opus",\n   "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ] }\n}',
  '.claude/CLAUDE.md': '# Mine\r\n\r\nAlways test.',
  '.codex/config.toml':
    '# my config\nmodel = "o9" # best\n\n[mcp_servers.docs]\ncommand = "docs"   # keep\n[profiles.x]\na = 1',
  '.codex/hooks.json': '{"hooks":{}}\n',
  '.gemini/settings.json': '{\n\t// theme\n\t"ui": { "theme": "Dark", },\n}\n',
  '.config/opencode/opencode.jsonc': '{\r\n  // keys\r\n  "mcp": {},\r\n  "theme": "x"\r\n}\r\n',
  '.cursor/mcp.json': '{ "mcpServers": {} }',
};

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
  for (const [path, text] of Object.entries(THEIRS)) write(path, text);
});
afterEach(() => home.dispose());

const at = (path: string): string => join(home.path, path);
const read = (path: string): string => readFileSync(at(path), 'utf8');
const write = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text, { mode: 0o640 });
};
const options = () => ({ home: home.path, env: { DEED_HOME: at('.deed') } });
const setup = (...argv: string[]): Run => confirmed(['setup', ...argv], options());
const check = (...argv: string[]) => deed(['setup', '--check', ...argv], options()).envelope.data;

/** Every file, link and folder of the account with its content, without the home of deed. */
function account(): Record<string, string> {
  const names = readdirSync(home.path, { recursive: true, encoding: 'utf8' });
  const shown = names
    .filter((name) => !name.startsWith('.deed'))
    .map((name) => {
      const stats = lstatSync(at(name));
      if (stats.isSymbolicLink()) return [name, `-> ${readlinkSync(at(name))}`];
      return [name, stats.isDirectory() ? 'folder' : `${stats.mode.toString(8)} ${read(name)}`];
    });
  return Object.fromEntries(shown.toSorted(([one = ''], [two = '']) => one.localeCompare(two))) as Record<
    string,
    string
  >;
}

describe('setup', () => {
  it('adds to every agent what it supports, keeps the rest, and undo restores every byte', () => {
    const before = account();
    expect(check()).toMatchObject({ ready: false });
    const preview = deed(['setup', '--dry-run'], options()).envelope.data.preview.changes;
    expect(
      preview.map(({ id, action }: Record<string, string>) => `${action} ${id?.slice(home.path.length + 1)}`),
    ).toEqual([
      'edit .claude.json',
      'edit .claude/settings.json',
      'edit .claude/CLAUDE.md',
      'edit .codex/config.toml',
      'edit .codex/hooks.json',
      'create .codex/AGENTS.md',
      'edit .gemini/settings.json',
      'create .gemini/GEMINI.md',
      'edit .config/opencode/opencode.jsonc',
      'create .config/opencode/plugin/vybe.js',
      'create .config/opencode/AGENTS.md',
      'edit .cursor/mcp.json',
      'create .agents/skills/deed',
      'create .claude/skills/deed',
    ]);
    expect(account()).toEqual(before);

    const { data } = setup().envelope;
    expect([data.ready, data.hosts.map(({ host }: { host: string }) => host)]).toEqual([
      true,
      ['claude', 'codex', 'gemini', 'opencode', 'cursor'],
    ]);
    expect(data.next.join(' ')).toContain('/hooks');
    const [program] = executable();
    const claude = JSON.parse(read('.claude.json'));
    expect(claude).toEqual({
      ...JSON.parse(THEIRS['.claude.json'] ?? ''),
      mcpServers: {
        github: { command: 'gh-mcp', env: { TOKEN: 'secret-1' } },
        deed: { command: program, args: ['mcp', 'serve'] },
      },
    });
    expect(read('.codex/config.toml')).toBe(
      `${THEIRS['.codex/config.toml']}\n\n[mcp_servers.deed]\ncommand = "${program}"\nargs = ["mcp", "serve"]\n`,
    );
    expect(read('.gemini/settings.json')).toMatch(
      /^\{\n\t\/\/ theme\n\t"ui": \{ "theme": "Dark", \},\n\t"mcpServers"/u,
    );
    expect(read('.gemini/settings.json')).toContain('hook stop --host gemini');
    expect(read('.claude/CLAUDE.md')).toMatch(/^# Mine\r\n\r\nAlways test\.\n\n<!-- deed: start/u);
    expect(readlinkSync(at('.claude/skills/deed'))).toBe('../../.agents/skills/deed');
    expect(read('.claude/skills/deed/SKILL.md')).toMatch(/^---\nname: deed\n/u);
    expect(lstatSync(at('.claude.json')).mode & 0o777).toBe(0o640);
    // The record has what was added, and no copy of what others wrote.
    expect(read('.deed/setup.json')).not.toContain('secret-1');

    const again = deed(['setup', '--dry-run'], options()).envelope.data.preview;
    expect(again.changes).toEqual([]);
    expect(check().ready).toBe(true);

    expect(setup('undo').envelope.data.changed).toHaveLength(14);
    expect(account()).toEqual(before);
    expect(existsSync(at('.deed/setup.json'))).toBe(false);
  });

  it.each(
    rowsOf<[string, string[]]>([
      // The first setup: of everything.
      ['CLAUDE', []],
      // The second one, which changes files and a Skill that the first one wrote.
      ['gemini.*settings', ['--hosts', 'gemini', '--parts', 'mcp']],
      ['skills/deed .*old', ['--hosts', 'cursor']],
    ]),
  )('killed before it renames %s, after setup with %j, is undone without a leftover', (name, earlier) => {
    // Empty objects, which a removal of our entries alone would not keep.
    if (earlier.includes('gemini')) write('.gemini/settings.json', '{ "mcpServers": {}, "hooks": {} }');
    const before = account();
    if (earlier.length > 0) setup(...earlier);
    if (earlier.includes('cursor')) write('.agents/skills/deed/SKILL.md', 'an older version');
    const call = (flags: readonly string[], env = {}): Run =>
      deed(['setup', ...flags], {
        ...options(),
        executable: KILLABLE_DEED,
        env: { ...options().env, ...env },
      });
    const { confirm_token: token } = call(['--dry-run']).envelope.data;
    const killed = call(['--confirm', token as string], { DEED_TEST_DIE_BEFORE: `^renameSync .*${name}` });
    expect(killed.code).toBeNull();
    expect(account()).not.toEqual(before);
    setup('undo');
    expect(account()).toEqual(before);
  });

  it('keeps a Skill that was there before, and undo restores it, folder or link', () => {
    write('.agents/skills/deed/SKILL.md', 'an older version');
    write('.agents/skills/deed/mine/notes.md', 'my notes');
    mkdirSync(at('.claude/skills'), { recursive: true });
    symlinkSync('../../checkout/deed', at('.claude/skills/deed'));
    const before = account();
    setup('--hosts', 'claude');
    expect(read('.claude/skills/deed/SKILL.md')).toMatch(/^---\nname: deed\n/u);
    expect(existsSync(at('.agents/skills/deed/mine'))).toBe(false);
    // A later version of deed changes the Skill again.
    write('.agents/skills/deed/SKILL.md', 'changed');
    setup('--hosts', 'claude');
    const undone = setup('undo').envelope.data.changed as { id: string; action: string }[];
    expect(undone.filter(({ action }) => action === 'restore')).toHaveLength(2);
    expect(account()).toEqual(before);
    expect(readdirSync(at('.deed')).filter((name) => name.includes('setup-replaced'))).toEqual([]);
  });

  it('sets up one agent in several calls, and undo removes only our entries from files that others have changed since', () => {
    setup('gemini', '--parts', 'mcp');
    setup('gemini', '--parts', 'hooks,instructions');
    expect(check('--hosts', 'gemini').hosts[0].parts.map(({ status }: { status: string }) => status)).toEqual(
      ['ready', 'ready', 'missing', 'ready'],
    );
    expect([existsSync(at('.agents')), read('.claude.json')]).toEqual([false, THEIRS['.claude.json']]);
    write('.gemini/settings.json', read('.gemini/settings.json').replace('"Dark"', '"Light"'));
    write('.gemini/GEMINI.md', `${read('.gemini/GEMINI.md')}My own line.\n`);
    setup('undo', '--hosts', 'gemini');
    expect(read('.gemini/settings.json')).toBe(
      (THEIRS['.gemini/settings.json'] ?? '').replace('"Dark"', '"Light"'),
    );
    expect(read('.gemini/GEMINI.md')).toBe('My own line.\n');
  });

  it('repairs entries whose program is gone, and keeps those that work', () => {
    const server = (command: string): string =>
      JSON.stringify({ mcpServers: { deed: { command, args: ['mcp', 'serve'] } } });
    write('.cursor/mcp.json', server('/gone/deed'));
    write(
      '.codex/config.toml',
      '[mcp_servers.deed]\ncommand = "/gone/deed"\nargs = ["mcp", "serve"]\n[mcp_servers.deed.env]\nA = "b"\n[x]\ny = 1\n',
    );
    setup('cursor', '--parts', 'mcp');
    setup('codex', '--parts', 'mcp');
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers.deed.command).toBe(executable()[0]);
    expect(read('.codex/config.toml')).toBe(
      `[x]\ny = 1\n\n[mcp_servers.deed]\ncommand = "${executable()[0]}"\nargs = ["mcp", "serve"]\n`,
    );
    write('.cursor/mcp.json', server(process.execPath));
    expect(check('cursor', '--parts', 'mcp').ready).toBe(true);
  });

  it('changes the target of a link and keeps the link', () => {
    write('dotfiles/gemini.json', '{}');
    symlinkSync('../dotfiles/gemini.json', at('.gemini/settings.json.new'));
    symlinkSync('../dotfiles/cursor.json', at('.cursor/linked.json'));
    mkdirSync(at('moved/.gemini'), { recursive: true });
    symlinkSync('../../dotfiles/gemini.json', at('moved/.gemini/settings.json'));
    const moved = { ...options(), env: { ...options().env, GEMINI_CLI_HOME: at('moved') } };
    confirmed(['setup', 'gemini', '--parts', 'mcp'], moved);
    expect(readlinkSync(at('moved/.gemini/settings.json'))).toBe('../../dotfiles/gemini.json');
    expect(read('dotfiles/gemini.json')).toContain('"deed"');
    confirmed(['setup', 'undo'], moved);
    expect(read('dotfiles/gemini.json')).toBe('{}');
  });

  it('refuses a link to a file that does not exist, and keeps the link', () => {
    mkdirSync(at('absent/.gemini'), { recursive: true });
    symlinkSync('../../dotfiles/none.json', at('absent/.gemini/settings.json'));
    const absent = { ...options(), env: { ...options().env, GEMINI_CLI_HOME: at('absent') } };
    const { error } = deed(['setup', 'gemini', '--parts', 'mcp', '--dry-run'], absent).envelope;
    expect(error).toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('is a link to ../../dotfiles/none.json, which does not exist'),
    });
    expect(readlinkSync(at('absent/.gemini/settings.json'))).toBe('../../dotfiles/none.json');
  });

  it.each([
    [
      'cursor',
      '.cursor/mcp.json',
      '{"mcpServers":{"deed":{"command":"other"}}}',
      'E_CONFLICT',
      'another MCP server',
    ],
    ['cursor', '.cursor/mcp.json', '{"mcpServers":[]}', 'E_CONFIG', 'is not an object'],
    ['cursor', '.cursor/mcp.json', '{broken', 'E_CONFIG', 'is not a JSON object'],
    ['codex', '.codex/config.toml', 'a = [', 'E_CONFIG', 'is not valid TOML'],
    [
      'codex',
      '.codex/config.toml',
      'mcp_servers = { x = { command = "x" } }',
      'E_CONFIG',
      'cannot be changed line by line',
    ],
    ['opencode', '.config/opencode/plugin/vybe.js', 'export {}', 'E_CONFIG', 'was not written by vybe'],
  ])('refuses %s with %s: %s', (host, path, text, code, message) => {
    write(path, text);
    const { error } = deed(['setup', host, '--dry-run'], options()).envelope;
    expect([error?.code, error?.message]).toEqual([code, expect.stringContaining(message)]);
    expect(read(path)).toBe(text);
  });

  it('accepts a byte order mark, and null for what is absent; undo restores every byte', () => {
    write('.gemini/settings.json', `\uFEFF${THEIRS['.gemini/settings.json']}`);
    write('.codex/config.toml', '\uFEFFmodel = "o9"\r\n');
    write('.codex/hooks.json', '{"hooks": {"Stop": null, "Other": null}}');
    write('.claude/settings.json', '{"model": "opus", "hooks": null}');
    write('.cursor/mcp.json', 'null\n');
    write('.claude.json', '{"mcpServers": null}');
    const before = account();
    expect(setup().envelope.data.ready).toBe(true);
    expect(check().ready).toBe(true);
    expect(read('.gemini/settings.json')).toMatch(/^\uFEFF\{\n\t\/\/ theme\n/u);
    expect(JSON.parse(read('.codex/hooks.json')).hooks).toMatchObject({ Stop: [{}], Other: null });
    expect(Object.keys(JSON.parse(read('.claude/settings.json')).hooks)).toContain('SessionStart');
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers.deed.args).toEqual(['mcp', 'serve']);
    setup('undo');
    expect(account()).toEqual(before);
  });

  it('skips an agent with a file that cannot be changed, says why, and sets up the others', () => {
    write('.claude/settings.json', '{"hooks": []}');
    write('.cursor/mcp.json', '{broken');
    const before = account();
    const { changes } = deed(['setup', '--dry-run'], options()).envelope.data.preview;
    const skipped = changes.filter(({ action }: Record<string, string>) => action === 'skip');
    expect(skipped.map(({ id, after }: { id: string; after: object }) => [id, after])).toEqual([
      ['Claude Code', { host: 'claude', reason: expect.stringContaining('"hooks" is not an object') }],
      ['Cursor', { host: 'cursor', reason: `${at('.cursor/mcp.json')} is not a JSON object.` }],
    ]);
    const { data } = setup().envelope;
    expect(data.hosts.map(({ host, ready }: Record<string, string>) => [host, ready])).toEqual([
      ['claude', false],
      ['codex', true],
      ['gemini', true],
      ['opencode', true],
      ['cursor', false],
    ]);
    expect(data.changed.map(({ path }: { path: string }) => path).join()).not.toMatch(/claude|cursor/iu);
    const text = deed(['setup', '--check', '--format', 'text'], options()).stdout;
    expect(text).toContain(`${at('.cursor/mcp.json')} is not a JSON object.`);
    const gemini = read('.gemini/settings.json');
    write('.gemini/settings.json', '{broken');
    setup('undo');
    expect(read('.gemini/settings.json')).toBe('{broken');
    write('.gemini/settings.json', gemini);
    setup('undo');
    expect(account()).toEqual(before);
  });

  it('refuses a token for files that have changed, and flags that do not apply', () => {
    const token = deed(['setup', 'cursor', '--dry-run'], options()).envelope.data.confirm_token as string;
    write('.cursor/mcp.json', '{}');
    const late = deed(['setup', 'cursor', '--confirm', token], options());
    expect(late.envelope.error?.code).toBe('E_CONFLICT');
    expect(deed(['setup', '--check', '--dry-run'], options()).envelope.error?.code).toBe('E_USAGE');
  });

  it('refuses to undo with a damaged record, and names the file', () => {
    setup('cursor');
    const record = read('.deed/setup.json');
    for (const damaged of [record.slice(0, 50), record.replace('mcp', 'mcq'), '{}']) {
      write('.deed/setup.json', damaged);
      const { error } = deed(['setup', 'undo', '--dry-run'], options()).envelope;
      expect([error?.code, error?.message]).toEqual([
        'E_DAMAGED',
        expect.stringContaining(at('.deed/setup.json')),
      ]);
    }
  });

  it('reports that there is no coding agent', () => {
    const bare = createHome();
    const run = deed(['setup', '--check'], { home: bare.path, env: { PATH: '/nonexistent' } });
    bare.dispose();
    expect(run.envelope.error).toMatchObject({
      code: 'E_NOT_FOUND',
      details: { hosts: expect.arrayContaining(['claude']) },
    });
  });
});
