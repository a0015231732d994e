import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, deed, executable, type Run } from '../fixtures/run-deed.ts';

const hasShell = (name: string): boolean => spawnSync(name, ['--version']).status === 0;
const hasScript = spawnSync('script', ['--version']).status === 0;

/** Runs deed on a pseudo terminal. */
function onTerminal(
  argv: readonly string[],
  home: string,
  env: Readonly<Record<string, string>> = {},
): string {
  const words = [...executable(), ...argv].map((word) => `'${word}'`).join(' ');
  const { stdout } = spawnSync('script', ['-qec', words, '/dev/null'], {
    env: { PATH: process.env.PATH, HOME: home, DEED_HOME: home, TERM: 'xterm', ...env },
    encoding: 'utf8',
  });
  return stdout;
}

describe('text output', () => {
  let home: ReturnType<typeof createHome>;
  beforeAll(() => {
    home = createHome();
  });
  afterAll(() => home.dispose());
  const text = (...argv: string[]): string => deed([...argv, '--format', 'text'], { home: home.path }).stdout;

  it('shows rows as a table that is not truncated in a pipe', () => {
    const [head, ...rows] = text('config', 'list').trimEnd().split('\n');
    expect(head?.split(/\s+/u)).toEqual(['key', 'value', 'source', 'scope', 'description']);
    expect(rows.find((row) => row.startsWith('update.release_url'))).toContain(
      'https://github.com/deed-cli/deed/releases',
    );
  });

  it('shows a preview as changes and how to confirm them', () => {
    const preview = text('config', 'set', 'list.limit', '5', '--dry-run');
    expect(preview).toMatch(
      /^set setting list\.limit\n {2}- .*\n {2}\+ .*5.*\n\nNothing was changed\. To apply, within 15 minutes:\n {2}deed config set list\.limit 5 --format text --confirm ct_/u,
    );
  });

  it('shows only the selected fields', () => {
    expect(text('audit', 'list', '--fields', 'command', '--limit', '1')).toMatch(/^command\n.+\n/u);
  });

  it('shows an error on standard error, with standard output empty', () => {
    const run = deed(['config', 'get', 'list.limti', '--format', 'text'], { home: home.path });
    expect([run.code, run.stdout]).toEqual([3, '']);
    expect(run.stderr).toBe('deed: E_NOT_FOUND Unknown setting: "list.limti".\nDid you mean list.limit?\n');
  });

  it('has no control characters of untrusted text', () => {
    deed(['context'], { home: home.path, env: { AI_AGENT: 'evil\u001B[31m\u0007agent' } });
    const shown = text('audit', 'list');
    expect(shown).toContain('evil');
    expect(['\u001B', '\u0007'].filter((character) => shown.includes(character))).toEqual([]);
  });

  describe.runIf(hasScript)('on a terminal', () => {
    it('has colours in text and none in JSON', () => {
      expect(onTerminal(['doctor', '--format', 'text'], home.path)).toContain('\u001B[');
      expect(onTerminal(['doctor'], home.path)).not.toContain('\u001B[');
    });

    it('is the default of logs and diffs of runs, and JSON on request', () => {
      for (const verb of ['log', 'diff']) {
        expect(onTerminal(['work', verb, 'nope'], home.path)).not.toContain('{');
        expect(onTerminal(['work', verb, 'nope', '--json'], home.path)).toContain('"E_NOT_FOUND"');
      }
    });

    it('has no colours with NO_COLOR or a dumb terminal', () => {
      expect(onTerminal(['doctor', '--format', 'text'], home.path, { NO_COLOR: '1' })).not.toContain(
        '\u001B[',
      );
      expect(onTerminal(['doctor', '--format', 'text'], home.path, { TERM: 'dumb' })).not.toContain(
        '\u001B[',
      );
    });
  });
});

describe('help', () => {
  const home = createHome();
  afterAll(() => home.dispose());
  const help = (...argv: string[]): Run => deed(argv, { home: home.path });

  it('lists every command in groups, with flags and examples', () => {
    const { stdout, code } = help('--help');
    expect(code).toBe(0);
    const { commands } = help('reference', '--compact').envelope.data as {
      commands: { path: string; description: string }[];
    };
    for (const { path } of commands) expect(stdout).toMatch(new RegExp(`^  ${path} +\\S`, 'mu'));
    expect(stdout).toMatch(/^Audit\n {2}audit list/mu);
    expect(stdout).toContain('Examples\n');
  });

  it('of one command shows its arguments, gate and examples', () => {
    const { stdout } = help('config', 'set', '--help');
    expect(stdout.split('\n')[0]).toBe('deed config set <key> <value> [flags]');
    expect(stdout).toContain('run it with --dry-run');
    expect(stdout).toContain('deed config set list.limit 100 --confirm <token>');
  });

  it('ends every description with one full stop', () => {
    for (const path of [
      ['work', 'run'],
      ['receipt', 'show'],
      ['config', 'list'],
    ])
      expect(help(...path, '--help').stdout.split('\n\n')[1]).toMatch(/[^.]\.$/u);
  });

  it('of a group shows the commands in it', () => {
    const { stdout } = help('audit', '--help');
    expect(stdout).toContain('audit verify');
    expect(stdout).not.toContain('config set');
  });
});

describe('man', () => {
  it('is a page of all commands that man can read', () => {
    const home = createHome();
    const page = deed(['man', '--format', 'raw'], { home: home.path }).stdout;
    expect(page).toBe(deed(['man'], { home: home.path }).envelope.data.page);
    home.dispose();
    expect(page).toMatch(/^\.TH DEED 1 /u);
    expect(page).toContain('.SS deed config set\n');
    for (const section of ['NAME', 'SYNOPSIS', 'COMMANDS', 'EXIT STATUS', 'ENVIRONMENT'])
      expect(page).toContain(`.SH ${section}\n`);
    expect(
      page.split('\n').filter((line) => /^['.](?!TH|SH|SS|TP|B |I |PP|nf|fi|RS|RE)/u.test(line)),
    ).toEqual([]);
    // troff warns about other characters.
    expect(page).not.toMatch(/[^\n -~]/u);
    expect(page).toContain('.SS deed agent run\n.PP\nRun an LLM agent with tools and limits');
  });
});

describe('completion', () => {
  let scratch = '';
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'deed-shell-'));
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  const completion = (...argv: string[]): Run => deed(['completion', ...argv], { home: scratch });
  const scriptOf = (shell: string): string => completion(shell, '--format', 'raw').stdout;

  it.each(['bash', 'zsh', 'fish'])('for %s is a script in raw and text format', (shell) => {
    const raw = scriptOf(shell);
    expect(raw).toBe(completion('--shell', shell, '--format', 'text').stdout);
    expect(raw).toBe(completion(shell).envelope.data.script);
    expect(raw).toContain('config');
  });

  const complete = (...words: string[]): string[] => {
    const script = scriptOf('bash');
    const line = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _deed_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['--norc', '-c', line], { encoding: 'utf8' });
    return stdout.trim().split('\n');
  };

  it('in bash offers commands, then subcommands, then flags', () => {
    expect(complete('deed', 'con')).toEqual(['context', 'config']);
    expect(complete('deed', 'config', 'un')).toEqual(['unset']);
    expect(complete('deed', 'config', 'unset', '--ke')).toEqual(['--keys', '--key']);
    expect(complete('deed', 'completion', 'z')).toEqual(['zsh']);
    expect(complete('deed', 'config', 'set', 'list.limit', '5', '--dr')).toEqual(['--dry-run']);
    expect(complete('deed', 'loop', 'st')).toEqual(['stats']);
  });

  it('in bash offers the values of a flag, files where it may be any text, and the commands of help', () => {
    expect(complete('deed', 'task', 'list', '--format', '')).toEqual(['json', 'text', 'raw']);
    expect(complete('deed', 'agent', 'sessions', 'list', '--status', 'w')).toEqual(['waiting']);
    expect(complete('deed', 'work', 'list', '--status', 'w')).toEqual(['waiting']);
    expect(complete('deed', 'work', 'list', '--status', 'd')).toEqual(['denied', 'damaged']);
    expect(complete('deed', 'agent', 'run', '--config', '')).toEqual(['']);
    expect(complete('deed', 'task', 'list', '--compact', '--fo')).toEqual(['--format']);
    expect(complete('deed', 'hel')).toEqual(['help']);
    expect(complete('deed', 'help', 'task', 'set-s')).toEqual(['set-status']);
  });

  it.runIf(hasShell('zsh'))('in zsh works without preparation, and offers the same', () => {
    const script = scriptOf('zsh');
    // zsh itself filters the offered words by what was typed.
    const offered = (start: string, ...words: string[]): string => {
      const line = `${start}eval "$SCRIPT"; compset() { return 1 }; compadd() { [[ $1 == - ]] && print -r -- "$@[2,-1]" }
words=(deed ${words.join(' ')} ''); CURRENT=$#words; eval "$_comps[deed]"`;
      const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', line], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: scratch, ZDOTDIR: scratch, SCRIPT: script },
      });
      return `${stdout}${stderr}`;
    };
    expect(offered('', 'config')).toBe('get list set unset trust\n');
    expect(offered('autoload -Uz compinit; compinit -u;', 'config')).toBe('get list set unset trust\n');
    expect(offered('', 'config', 'set', 'list.limit', '5')).toContain(' --dry-run ');
    expect(offered('', 'task', 'list', '--format')).toBe('json text raw\n');
  });

  it.runIf(hasShell('fish'))('in fish offers commands, then subcommands, then flags, without errors', () => {
    const script = scriptOf('fish');
    const complete = (line: string): string[] => {
      const { stdout, stderr } = spawnSync(
        'fish',
        ['--no-config', '-c', `${script}\ncomplete -C '${line}'`],
        {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, HOME: scratch },
        },
      );
      return `${stdout}${stderr}`.trim().split('\n');
    };
    expect(complete('deed con')).toEqual(['config', 'context']);
    expect(complete('deed config ')).toEqual(['get', 'list', 'set', 'trust', 'unset']);
    expect(complete('deed config unset --ke')).toEqual(['--key', '--keys']);
    expect(complete('deed config set --va')).toEqual(['--value']);
    expect(complete('deed config set list.limit 5 --dr')).toEqual(['--dry-run']);
    expect(complete('deed completion z')).toEqual(['zsh']);
    expect(complete('deed loop st')).toEqual(['stats']);
    expect(complete('deed task list --format ')).toEqual(['json', 'raw', 'text']);
    expect(complete('deed work list --status d')).toEqual(['damaged', 'denied']);
    expect(complete('deed help task set-s')).toEqual(['set-status']);
  });
});
