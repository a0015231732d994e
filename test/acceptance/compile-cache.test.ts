import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deed, executable, ROOT, TARGET, type Run } from '../fixtures/run-deed.ts';

describe.runIf(TARGET === 'bundle')('the compiled form of the program', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'deed-compiled-'));
    cpSync(join(ROOT, 'dist/bin'), join(root, 'dist/bin'), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const cache = (): string => join(root, 'dist/cache');
  const run = (): Run => {
    const [node] = executable();
    const open = ['/bin/sh', '-c', 'umask 000; exec "$0" "$@"', node, join(root, 'dist/bin/deed.cjs')];
    return deed(['context'], { home: join(root, 'home'), executable: open });
  };

  it('is kept beside the program, where only its owner may write, and nowhere else', () => {
    expect(run().code).toBe(0);
    expect((statSync(cache()).mode & 0o777).toString(8)).toBe('700');
    expect(readdirSync(cache(), { recursive: true }).length).toBeGreaterThan(3);
    expect(readdirSync(join(root, 'home'))).toEqual(['audit']);
    expect(run().code).toBe(0);
  });

  it('is not missed where it cannot be kept', () => {
    writeFileSync(cache(), 'in the way');
    const { code, stderr } = run();
    expect([code, stderr]).toEqual([0, '']);
  });

  it('does not count when it was damaged', () => {
    run();
    for (const name of readdirSync(cache(), { recursive: true, encoding: 'utf8' })) {
      const path = join(cache(), name);
      if (statSync(path).isFile()) writeFileSync(path, 'damaged');
    }
    const { code, stderr } = run();
    expect([code, stderr, existsSync(cache())]).toEqual([0, '', true]);
  });
});
