import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { uniqueName } from './unique-name.ts';

test('names are unique and valid in file names', () => {
  const names = Array.from({ length: 10_000 }, uniqueName);
  expect(new Set(names).size).toBe(names.length);
  expect(names.every((name) => /^[a-z0-9-]{10,60}$/u.test(name))).toBe(true);
});

test('two processes never create the same name', () => {
  const source = new URL('./unique-name.ts', import.meta.url).href;
  const script = `import { uniqueName } from '${source}'; console.log(uniqueName());`;
  const start = (): string =>
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(start()).not.toBe(start());
});
