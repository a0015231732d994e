import { describe, expect, it } from 'vitest';
import { compilePathGlob } from './path-glob.ts';
import { cpuTimeMs } from '../system/cpu-time-ms.ts';

describe('a pattern for paths', () => {
  it.each([
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'lib/a.ts', false],
    ['src', 'src/a/b.ts', true],
    ['/src/', 'src/a.ts', true],
    ['src', 'srcs/a.ts', false],
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'src/b/a.ts', true],
    ['**/*.{ts,js}', 'src/a.js', true],
    ['**/*.{ts,js}', 'src/a.css', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[ab].txt', 'b.txt', true],
    ['[!ab].txt', 'b.txt', false],
    ['a.b', 'axb', false],
    ['a+(b)', 'a+(b)', true],
  ])('%s with %s: %s', (glob, path, expected) => {
    expect(compilePathGlob(glob)?.(path)).toBe(expected);
  });

  it.each(['{a', 'a}', '[a'])('is invalid: %s', (glob) => {
    expect(compilePathGlob(glob)).toBeUndefined();
  });

  it('does not take long for a pattern that would backtrack', () => {
    const startedAt = cpuTimeMs();
    expect(compilePathGlob(`${'*a'.repeat(30)}b`)?.('a'.repeat(3000))).toBe(false);
    expect(cpuTimeMs() - startedAt).toBeLessThan(5000);
  });
});
