import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { firstLine, killNow, LONG, startScript } from '../../test/fixtures/start-node.ts';
import { readBytesIfPresent, readFileIfPresent, writeFileDurably, writeNewFile } from './durable-file.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-file-'));
  file = join(folder, 'state.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a file is replaced completely, is private, and no temporary file remains', () => {
  writeFileSync(file, 'old and longer');
  chmodSync(file, 0o644);
  writeFileDurably(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['state.json']);
});

test('text is read back unchanged, as text and as bytes', () => {
  const text = '\uFEFFé\u0000€\uD83D\uDE00\n'.repeat(1000);
  for (const content of [text, Buffer.from(text)]) {
    writeFileDurably(file, content);
    expect(readFileIfPresent(file)).toBe(text);
    expect(readBytesIfPresent(file)).toEqual(Buffer.from(text));
  }
});

test(
  'a process killed while it replaces a file leaves the old content or the new',
  { timeout: 300_000 },
  async () => {
    const bytes = 256 * 1024;
    for (let round = 0; round < (LONG ? 200 : 3); round += 1) {
      const child = startScript('replace-file', [file, String(bytes)]);
      await firstLine(child);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      await killNow(child);
      const content = readFileSync(file, 'utf8');
      expect(content).toBe((content[0] ?? '').repeat(bytes));
    }
  },
);

test('a link is replaced, and its target is unchanged', () => {
  const target = join(folder, 'target');
  writeFileSync(target, 'precious');
  symlinkSync(target, file);
  writeFileDurably(file, 'new');
  expect([readFileSync(file, 'utf8'), readFileSync(target, 'utf8')]).toEqual(['new', 'precious']);
});

test('writeNewFile does not overwrite a file or follow a link', () => {
  writeFileSync(file, 'old');
  expect(() => writeNewFile(file, 'new', 0o600, false)).toThrow('EEXIST');
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
  expect(() => writeNewFile(join(folder, 'link'), 'new', 0o600, false)).toThrow('EEXIST');
  expect([readFileSync(file, 'utf8'), existsSync(join(folder, 'elsewhere'))]).toEqual(['old', false]);
});

test('a full disk leaves the old content and no partial file, and is a fault with a code', () => {
  writeFileSync(file, 'old');
  const source = join(import.meta.dirname, 'durable-file.ts');
  const script = `
    import { writeFileDurably, writeNewFile } from ${JSON.stringify(source)};
    process.on('SIGXFSZ', () => undefined);
    const report = (write) => { try { write(); } catch (error) { console.log(error.code, error.details?.reason ?? ''); } };
    report(() => writeFileDurably(${JSON.stringify(file)}, 'x'.repeat(100_000)));
    report(() => writeNewFile(${JSON.stringify(join(folder, 'fresh'))}, 'x'.repeat(100_000), 0o600, false));`;
  // The file size limit of the system simulates a full disk.
  const { stdout } = spawnSync(
    'bash',
    ['-c', 'ulimit -f 8; exec "$0" --input-type=module -e "$1"', process.execPath, script],
    { encoding: 'utf8' },
  );
  expect(stdout).toBe('E_IO EFBIG\nEFBIG \n');
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old', ['state.json']]);
});

test('a missing folder, or a file in its place, is a fault with a code', () => {
  expect(() => writeFileDurably(join(folder, 'no', 'file'), 'x')).toThrow(
    expect.objectContaining({
      code: 'E_IO',
      details: { path: join(folder, 'no', 'file'), reason: 'ENOENT' },
    }),
  );
  writeFileSync(file, 'old');
  expect(() => writeFileDurably(join(file, 'inside'), 'x')).toThrow(
    expect.objectContaining({ code: 'E_IO', details: { path: join(file, 'inside'), reason: 'ENOTDIR' } }),
  );
});

test('a missing file is undefined; one that is too long is rejected before it is read', () => {
  expect(readFileIfPresent(file)).toBeUndefined();
  writeFileSync(file, 'x'.repeat(11));
  expect(readFileIfPresent(join(file, 'below'))).toBeUndefined();
  expect(readFileIfPresent(file, 11)).toBe('x'.repeat(11));
  expect(() => readFileIfPresent(file, 10)).toThrow(expect.objectContaining({ code: 'E_IO' }));
});

test('anything but a regular file is rejected, and a pipe without a writer does not block', () => {
  mkdirSync(file);
  expect(() => readFileIfPresent(file)).toThrow(expect.objectContaining({ code: 'E_IO' }));
  const pipe = join(folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  expect(() => readFileIfPresent(pipe)).toThrow(expect.objectContaining({ code: 'E_IO' }));
  expect(() => readFileIfPresent('/dev/zero')).toThrow(expect.objectContaining({ code: 'E_IO' }));
});
