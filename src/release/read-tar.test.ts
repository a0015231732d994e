import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { tarHeader, writeTar } from '../../scripts/write-tar.ts';
import { readTar, TarError } from './read-tar.ts';

const LIMITS = { files: 100, pathBytes: 255 };
const END = Buffer.alloc(1024);
const file = (path: string, content = 'x'): { path: string; mode: number; content: Buffer } => ({
  path,
  mode: 0o644,
  content: Buffer.from(content),
});
const read = (archive: Buffer): [string, string, boolean][] =>
  readTar(archive, LIMITS).map((entry) => [entry.path, entry.content.toString(), entry.executable]);

test('files are read with path, content and mode', () => {
  const archive = writeTar([
    { path: 'deed', mode: 0o755, content: Buffer.from('program') },
    file('skills/deed/SKILL.md', ''),
    file('a/b', 'y'.repeat(1500)),
  ]);
  expect(read(archive)).toEqual([
    ['deed', 'program', true],
    ['skills/deed/SKILL.md', '', false],
    ['a/b', 'y'.repeat(1500), false],
  ]);
});

test('a ustar archive of the system tar is read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deed-tar-'));
  try {
    mkdirSync(join(folder, 'skills/deed'), { recursive: true });
    writeFileSync(join(folder, 'skills/deed/SKILL.md'), 'skill');
    const long = `skills/deed/${'d'.repeat(60)}`;
    mkdirSync(join(folder, long));
    writeFileSync(join(folder, `${long}/${'f'.repeat(60)}`), 'long');
    const archive = execFileSync('tar', ['--format=ustar', '-C', folder, '-cf', '-', '.']);
    expect(new Map(read(archive).map(([path, content]) => [path, content]))).toEqual(
      new Map([
        ['skills/deed/SKILL.md', 'skill'],
        [`${long}/${'f'.repeat(60)}`, 'long'],
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a path outside the archive is rejected', () => {
  const paths = [
    '../deed',
    '/etc/passwd',
    'a/../../b',
    'a/./b',
    'a//b',
    './../x',
    'a\\..\\b',
    'a/',
    '',
    '..',
    'a\nb',
  ];
  for (const path of paths) {
    expect(() => readTar(writeTar([file(path)]), LIMITS), JSON.stringify(path)).toThrow(TarError);
  }
});

test('links, devices and extension headers are rejected', () => {
  for (const type of ['1', '2', '3', '4', '6', '7', 'x', 'g', 'L', 'K', 'S', 'V']) {
    const archive = Buffer.concat([
      tarHeader('deed', { mode: 0o755, size: 0, type, link: '/etc/passwd' }),
      END,
    ]);
    expect(() => readTar(archive, LIMITS), type).toThrow(TarError);
  }
});

test('a duplicate path is rejected', () => {
  expect(() => readTar(writeTar([file('deed'), file('./deed')]), LIMITS)).toThrow(/twice/u);
});

test('more files and longer paths than the limits are rejected', () => {
  const many = Array.from({ length: 101 }, (_, index) => file(`f${index}`));
  expect(() => readTar(writeTar(many), LIMITS)).toThrow(/more than 100 files/u);
  expect(() => readTar(writeTar([file('a/b'.repeat(20))]), { files: 1, pathBytes: 50 })).toThrow(
    /not allowed/u,
  );
});

test('a size beyond the archive, a damaged header and a missing end are rejected', () => {
  const whole = writeTar([file('deed', 'z'.repeat(600))]);
  expect(() => readTar(Buffer.concat([tarHeader('deed', { mode: 0, size: 2 ** 30 }), END]), LIMITS)).toThrow(
    /truncated/u,
  );
  expect(() => readTar(whole.subarray(0, 512 + 1024), LIMITS)).toThrow(/without its closing/u);
  expect(() => readTar(Buffer.concat([whole, Buffer.from('more')]), LIMITS)).toThrow(/follows/u);
  const damaged = Buffer.from(whole);
  damaged[0] = 0x66;
  expect(() => readTar(damaged, LIMITS)).toThrow(/checksum/u);
  expect(() => readTar(Buffer.from('not a tar'.repeat(200)), LIMITS)).toThrow(/ustar/u);
});

test('a damaged archive either throws a TarError or yields only safe paths', () => {
  const whole = writeTar([file('deed', 'abc'), file('skills/deed/SKILL.md', 'def')]);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (position, byte) => {
      const damaged = Buffer.from(whole);
      damaged[position] = byte;
      try {
        for (const entry of readTar(damaged, LIMITS)) expect(entry.path).not.toMatch(/^\/|\.\.(\/|$)/u);
      } catch (error) {
        expect(error).toBeInstanceOf(TarError);
      }
    }),
    { numRuns: 500 },
  );
});
