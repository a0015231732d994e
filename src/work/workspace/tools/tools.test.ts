import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/temporary-folder.ts';
import type { JsonObject } from '../../../base/json.ts';
import { listByEnvironment } from '../../../system/process-tree.ts';
import { serveTools, type ReplyLine, type ToolLine } from './serve-tools.ts';
import { performTool } from './perform-tool.ts';
import { TOOL_DESCRIPTIONS } from './tool-descriptions.ts';
import type { ToolReply } from './workspace-tool.ts';

let folder: ReturnType<typeof temporaryFolder>;
let root: string;
const env = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: folder.path,
  DEED_RUN_ID: folder.path,
});
const signal = new AbortController().signal;

beforeEach(() => {
  folder = temporaryFolder('tools');
  root = join(folder.path, 'tree');
  mkdirSync(root);
  execFileSync('git', ['init', '-q'], { cwd: root });
});
afterEach(() => folder.dispose());

const call = (tool: string, args: JsonObject, maxBytes = 10_000): Promise<ToolReply> =>
  performTool(tool, args, { root, env: env(), maxBytes, signal });
const text = async (tool: string, args: JsonObject, maxBytes?: number): Promise<string> => {
  const reply = await call(tool, args, maxBytes);
  if (!reply.ok) throw new Error(`failed: ${reply.reason}`);
  return reply.text;
};
const reason = async (tool: string, args: JsonObject): Promise<string> => {
  const reply = await call(tool, args);
  return reply.ok ? `done: ${reply.text}` : reply.reason;
};
const write = (path: string, content: string | Uint8Array): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
};
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('reading a file', () => {
  it('returns it unchanged if it fits', async () => {
    write('a.txt', 'one\r\n\ttwo é\n');
    expect(await text('read', { path: 'a.txt' })).toBe('one\r\n\ttwo é\n');
    expect(await text('read', { path: join(root, 'a.txt') })).toBe('one\r\n\ttwo é\n');
  });

  it('returns as many lines as fit and the offset of the next one', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1} äöü`);
    write('long.txt', `${lines.join('\n')}\n`);
    const collected: string[] = [];
    let offset: number | undefined = 1;
    while (offset !== undefined) {
      const part = await text('read', { path: 'long.txt', offset }, 700);
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(700);
      const kept = part.split('\n');
      const notice = kept.pop() ?? '';
      collected.push(...kept);
      const next = /continue at offset (\d+)/u.exec(notice)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(collected).toEqual(lines);
  });

  it('returns the requested lines', async () => {
    write('a.txt', 'a\nb\nc\nd');
    expect(await text('read', { path: 'a.txt', offset: 2, limit: 2 })).toBe(
      'b\nc\n[lines 2 to 3 of 4; continue at offset 4]',
    );
    expect(await reason('read', { path: 'a.txt', offset: 9 })).toBe('a.txt has 4 lines; there is no line 9');
  });

  it('describes binary files instead of returning them', async () => {
    write('nul', new Uint8Array([65, 0, 66]));
    write('latin', new Uint8Array([0x66, 0xfc, 0x72]));
    write('empty', '');
    expect(await text('read', { path: 'nul' })).toBe('nul: binary file, 3 bytes');
    expect(await text('read', { path: 'latin' })).toBe('latin: binary file, 3 bytes');
    expect(await text('read', { path: 'empty' })).toBe('empty is empty');
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await reason('read', { path: 'pipe' })).toBe('pipe is not a regular file');
    expect(await reason('read', { path: '.' })).toBe('. is a folder; list it instead');
    expect(await reason('read', { path: 'none' })).toBe('the file none does not exist');
    expect(await reason('read', {})).toBe('path must be a string');
  });
});

describe('writing a file', () => {
  it('creates its folders, and keeps the mode of an existing file', async () => {
    expect(await text('write', { path: 'x/y/z.txt', content: 'é' })).toBe('created x/y/z.txt, 2 bytes');
    write('run.sh', '');
    execFileSync('chmod', ['755', join(root, 'run.sh')]);
    expect(await text('write', { path: 'run.sh', content: 'echo\n' })).toBe('replaced run.sh, 5 bytes');
    expect([read('x/y/z.txt'), read('run.sh'), lstatSync(join(root, 'run.sh')).mode & 0o777]).toEqual([
      'é',
      'echo\n',
      0o755,
    ]);
  });

  it('reports why it fails', async () => {
    write('a.txt', 'x');
    mkdirSync(join(root, 'd'));
    expect(await reason('write', { path: 'a.txt/b', content: '' })).toContain(
      'a parent of this path is a file',
    );
    expect(await reason('write', { path: 'd', content: '' })).toBe('d is a folder');
    expect(await reason('write', { path: 'n'.repeat(300), content: '' })).toBe('the path is too long');
  });
});

describe('editing a file', () => {
  it('replaces text that occurs once, literally', async () => {
    write('a.txt', 'a $& b\nc\n');
    expect(await text('edit', { path: 'a.txt', old_text: '$& b', new_text: '$1 $$' })).toBe(
      'edited a.txt, line 1',
    );
    expect(read('a.txt')).toBe('a $1 $$\nc\n');
  });

  it('replaces all occurrences only with all', async () => {
    write('a.txt', 'x\nx\nxx\n');
    expect(await reason('edit', { path: 'a.txt', old_text: 'x', new_text: 'y' })).toBe(
      'old_text occurs 4 times in a.txt, at lines 1, 2, 3, 3; include more of the surrounding text, or set all',
    );
    expect(read('a.txt')).toBe('x\nx\nxx\n');
    expect(await text('edit', { path: 'a.txt', old_text: 'x', new_text: 'y', all: true })).toBe(
      'edited a.txt, 4 places',
    );
    expect(read('a.txt')).toBe('y\ny\nyy\n');
  });

  it('reports why the text is not found', async () => {
    write('a.txt', 'if (x) {\n\treturn  1;\n}\n');
    write('dos.txt', 'a\r\nb\r\n');
    expect(await reason('edit', { path: 'a.txt', old_text: '  return 1;', new_text: '' })).toContain(
      'line 2 has the words of its first line, so white space or a later line differs',
    );
    expect(await reason('edit', { path: 'a.txt', old_text: 'nothing', new_text: '' })).toContain(
      'read the file again',
    );
    expect(await reason('edit', { path: 'dos.txt', old_text: 'a\nb', new_text: '' })).toContain('CR LF');
    expect(await reason('edit', { path: 'a.txt', old_text: '', new_text: 'x' })).toContain('is empty');
    expect(await reason('edit', { path: 'a.txt', old_text: 'if', new_text: 'if' })).toContain('the same');
    write('bin', new Uint8Array([0, 1]));
    expect(await reason('edit', { path: 'bin', old_text: 'a', new_text: 'b' })).toContain(
      'binary file, 2 bytes',
    );
  });
});

describe('listing and searching', () => {
  beforeEach(() => {
    write('.gitignore', 'ignored/\n');
    write('b.txt', 'needle\nNeedle\n');
    write('src/a.ts', 'const needle = 1;\n');
    write('src/deep/c.ts', 'nee.dle\n');
    write('ignored/x.txt', 'needle\n');
    write('image', new Uint8Array([0, ...Buffer.from('needle')]));
    execFileSync('git', ['add', 'b.txt', 'src/a.ts'], { cwd: root });
    symlinkSync('b.txt', join(root, 'link'));
  });

  it('lists a folder sorted, without .git', async () => {
    expect(await text('list', {})).toBe('.gitignore\nb.txt\nignored/\nimage\nlink@\nsrc/');
    expect(await text('list', { path: 'src', recursive: true })).toBe('src/a.ts\nsrc/deep/c.ts');
    expect(await text('list', { recursive: true })).toBe(
      '.gitignore\nb.txt\nimage\nlink\nsrc/a.ts\nsrc/deep/c.ts',
    );
    expect(await reason('list', { path: 'b.txt' })).toBe('b.txt is a file, not a folder');
  });

  it('is bounded and reports what is omitted', async () => {
    for (let index = 0; index < 300; index += 1) write(`many/f${index}`, 'needle\n');
    const listed = await text('list', { path: 'many' }, 500);
    expect(Buffer.byteLength(listed)).toBeLessThanOrEqual(500);
    expect(listed).toContain('[truncated: 300 entries in total; list a subfolder]');
    expect(await text('search', { pattern: 'needle', path: 'many' })).toContain('[100 more matches; narrow');
  });

  it('finds text and regular expressions in files that git does not ignore, sorted', async () => {
    expect(await text('search', { pattern: 'needle' })).toBe(
      'b.txt:1: needle\nsrc/a.ts:1: const needle = 1;',
    );
    expect(await text('search', { pattern: 'needle', ignore_case: true, path: 'b.txt' })).toBe(
      'b.txt:1: needle\nb.txt:2: Needle',
    );
    expect(await text('search', { pattern: 'nee.?dle$', regex: true })).toBe(
      'b.txt:1: needle\nsrc/deep/c.ts:1: nee.dle',
    );
    expect(await text('search', { pattern: 'nee.dle' })).toBe('src/deep/c.ts:1: nee.dle');
    expect(await text('search', { pattern: '--version' })).toBe('no match');
    expect(await reason('search', { pattern: '(', regex: true })).toMatch(/\(/u);
  });
});

describe('a path', () => {
  it('that leads outside the tree is rejected with a reason by every tool', async () => {
    writeFileSync(join(folder.path, 'outside.txt'), 'secret');
    symlinkSync('../outside.txt', join(root, 'file'));
    symlinkSync('..', join(root, 'up'));
    symlinkSync('../new.txt', join(root, 'dangling'));
    symlinkSync('loop', join(root, 'loop'));
    symlinkSync('.git', join(root, 'mine'));
    const paths = [
      '../outside.txt',
      '/etc/passwd',
      'file',
      'up/outside.txt',
      'up/x/y',
      'dangling',
      'loop',
      '.git/config',
      'mine/config',
      'a\0b',
    ];
    for (const path of paths) {
      for (const [tool, args] of [
        ['read', {}],
        ['write', { content: 'x' }],
        ['edit', { old_text: 'secret', new_text: 'x' }],
        ['list', {}],
        ['search', { pattern: 'secret' }],
      ] as const)
        expect(await reason(tool, { path, ...args })).toMatch(
          /outside the tree|does not exist|link to itself|git|NUL/u,
        );
    }
    expect(readFileSync(join(folder.path, 'outside.txt'), 'utf8')).toBe('secret');
    expect(existsSync(join(folder.path, 'new.txt'))).toBe(false);
  });

  it('through a link inside the tree is followed', async () => {
    write('real/a.txt', 'x');
    symlinkSync('real', join(root, 'alias'));
    await text('write', { path: 'alias/a.txt', content: 'y' });
    expect(read('real/a.txt')).toBe('y');
  });
});

describe('running a command', () => {
  it('returns its exit code and separate outputs', async () => {
    expect(await text('run', { command: 'echo out; echo err >&2; exit 3' })).toBe(
      'exit code 3\n--- stdout\nout\n--- stderr\nerr',
    );
    expect(await text('run', { command: 'cat; true' })).toBe('exit code 0');
    expect(await text('run', { command: 'kill -9 $$' })).toBe('ended by SIGKILL');
  });

  it('keeps the beginning and the end of a long output', async () => {
    const output = await text('run', { command: 'seq 1 100000' }, 2000);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(2000);
    expect(output).toMatch(/^exit code 0\n--- stdout\n1\n2\n[\s\S]+bytes left out[\s\S]+\n100000$/u);
  });

  it('terminates the processes it leaves running, in any process group', async () => {
    await text('run', {
      command: 'setsid sleep 4715 >/dev/null 2>&1 & (sleep 4716 >/dev/null 2>&1 &); echo started',
    });
    expect(listByEnvironment(`DEED_TOOL_CALL=${folder.path}`)).toEqual([]);
  });

  it('is killed with all its processes at its timeout', async () => {
    expect(await reason('run', { command: 'trap "" TERM; sleep 4717 & sleep 4718', timeout_ms: 200 })).toBe(
      'the command did not finish within 200 ms and was killed',
    );
    expect(listByEnvironment(`DEED_TOOL_CALL=${folder.path}`)).toEqual([]);
  });
});

describe('the tool server', () => {
  /** Sends lines to the server until it has sent so many replies. */
  async function exchange(lines: readonly (ToolLine | string)[], replies: number): Promise<ReplyLine[]> {
    const received: ReplyLine[] = [];
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    async function* input(): AsyncGenerator<Uint8Array> {
      for (const line of lines)
        yield Buffer.from(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
      await enough;
    }
    const write = (line: string): void => {
      received.push(JSON.parse(line) as ReplyLine);
      if (received.length > replies) resolve();
    };
    await serveTools({ root, env: env() }, { input: input(), write });
    return received;
  }

  it('runs calls one after another in their order', async () => {
    const run = (id: number, command: string): ToolLine => ({
      id,
      tool: 'run',
      args: { command },
      max_bytes: 1000,
    });
    const received = await exchange(
      [
        run(1, 'sleep 0.2; echo 1 >> log'),
        'not JSON',
        run(2, 'echo 2 >> log'),
        { id: 3, tool: 'read', args: { path: 'log' }, max_bytes: 1000 },
      ],
      3,
    );
    expect(received).toEqual([
      { ready: true },
      { id: 1, ok: true, text: 'exit code 0' },
      { id: 2, ok: true, text: 'exit code 0' },
      { id: 3, ok: true, text: '1\n2\n' },
    ]);
  });

  it('cancels a running call, and does not start a cancelled one', async () => {
    const received = await exchange(
      [
        { id: 1, tool: 'run', args: { command: 'sleep 4719' }, max_bytes: 1000 },
        { id: 2, tool: 'write', args: { path: 'x', content: '' }, max_bytes: 1000 },
        { cancel: 2 },
        { cancel: 1 },
      ],
      2,
    );
    expect(received.slice(1)).toEqual([
      { id: 1, ok: false, reason: 'aborted' },
      { id: 2, ok: false, reason: 'aborted' },
    ]);
    expect(existsSync(join(root, 'x'))).toBe(false);
  });

  it('terminates running calls when its input ends', async () => {
    await serveTools(
      { root, env: env() },
      {
        input: (async function* () {
          yield Buffer.from(
            `${JSON.stringify({ id: 1, tool: 'run', args: { command: 'sleep 4720' }, max_bytes: 100 })}\n`,
          );
        })(),
        write: () => undefined,
      },
    );
    expect(listByEnvironment(`DEED_TOOL_CALL=${folder.path}`)).toEqual([]);
  });

  it('has exactly the tools that are described to models', async () => {
    for (const { name } of TOOL_DESCRIPTIONS)
      expect(await reason(name, { path: 7 })).not.toContain('there is no tool');
    expect(await reason('constructor', {})).toBe('unknown tool constructor');
  });
});
