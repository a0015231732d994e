import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { createRunLogReader } from './read-run-log.ts';
import { openRunLog } from './run-log.ts';

const RUN = 'run_6a2x74g1q2w8d';
let home: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  home = temporaryFolder('log');
  mkdirSync(join(home.path, 'runs', RUN), { recursive: true });
});
afterEach(() => home.dispose());

const textsOf = (): readonly string[] =>
  createRunLogReader(home.path, RUN)
    .read()
    .map(({ text }) => text);

it('has complete lines while the agent runs, and the rest at the end', () => {
  const log = openRunLog(home.path, RUN, () => 0);
  const reader = createRunLogReader(home.path, RUN);
  log.push('stdout', Buffer.from('one\ntw'));
  expect(reader.read().map(({ text }) => text)).toEqual(['one']);
  log.push('stdout', Buffer.from('o\nthree'));
  log.end();
  expect(reader.read().map(({ text, stream }) => `${stream} ${text}`)).toEqual([
    'stdout two',
    'stdout three',
  ]);
  expect(statSync(join(home.path, 'runs', RUN, 'output.ndjson')).mode & 0o777).toBe(0o600);
});

it('masks a private key that is printed line by line', () => {
  const log = openRunLog(home.path, RUN, () => 0);
  const body = Buffer.from('0123456789abcdef'.repeat(6)).toString('base64');
  for (const text of ['a', '-----BEGIN RSA PRIVATE KEY-----', body, '-----END RSA PRIVATE KEY-----', 'b'])
    log.push('stdout', Buffer.from(`${text}\n`));
  log.end();
  expect(textsOf()).toEqual(['a', '[REDACTED]', 'b']);
  expect(log.tail().join('\n')).not.toContain(body);
});

it('keeps the beginning and the end of an output that is too long', () => {
  const log = openRunLog(home.path, RUN, () => 0);
  const row = 'x'.repeat(100_000);
  const count = Math.ceil((2 * WORK_LIMITS.outputBytes) / row.length);
  for (let index = 0; index < count; index += 1) log.push('stdout', Buffer.from(`${index} ${row}\n`));
  log.push('stdout', Buffer.from('the end\n'));
  log.end();
  const texts = textsOf();
  expect(texts[0]).toMatch(/^0 x/u);
  expect(texts.at(-1)).toBe('the end');
  expect(texts.find((text) => text.includes('left out'))).toMatch(/^\d+ lines are left out/u);
  expect(statSync(join(home.path, 'runs', RUN, 'output.ndjson')).size).toBeLessThan(
    2 * WORK_LIMITS.outputBytes,
  );
});
