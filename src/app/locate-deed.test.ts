import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { locateDeed } from './locate-deed.ts';

describe('the executable of deed for a program that uses the library', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'deed-locate-'));
    place('node_modules/deed-cli/package.json', '{"name":"deed-cli"}', 0o644);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function place(path: string, content = '#!/bin/sh\n', mode = 0o755): string {
    const whole = join(root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content, { mode });
    return whole;
  }
  const locate = (): string | undefined =>
    locateDeed(
      pathToFileURL(join(root, 'node_modules/deed-cli/dist/lib/work.js')).href,
      `relative:${join(root, 'path')}`,
    );
  const platform = `${process.platform}-${process.arch}`;

  it('is found in the platform package, then in the checkout, then in PATH', () => {
    expect(locate()).toBeUndefined();
    const onPath = place('path/deed');
    expect(locate()).toBe(onPath);
    const built = place('node_modules/deed-cli/dist/bin/deed');
    expect(locate()).toBe(built);
    place(`node_modules/@deed-cli/${platform}/package.json`, '{}', 0o644);
    expect(locate()).toBe(built);
    const installed = place(`node_modules/@deed-cli/${platform}/bin/deed`);
    expect(locate()).toBe(installed);
  });

  it('is not the launcher of the npm package, which itself needs the platform package', () => {
    place('node_modules/deed-cli/dist/bin/deed');
    place('node_modules/deed-cli/dist/launcher/launcher.cjs');
    expect(locate()).toBeUndefined();
  });

  it('is not the one of another platform, nor a file that is not executable', () => {
    place('node_modules/@deed-cli/other-arch/package.json', '{"name":"@deed-cli/other-arch"}', 0o644);
    place('node_modules/@deed-cli/other-arch/bin/deed');
    place('path/deed', 'text', 0o644);
    expect(locate()).toBeUndefined();
  });
});
