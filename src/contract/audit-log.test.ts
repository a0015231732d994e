import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKernelContext, type KernelContext } from '../../test/fixtures/kernel-context.ts';
import type { AuditEntry } from './audit-chain.ts';
import { appendAudit } from './audit-log.ts';
import { checkRecentAudit } from './check-recent-audit.ts';
import { readAudit, readAuditNewestFirst } from './read-audit.ts';
import { verifyAudit } from './verify-audit.ts';

let context: KernelContext;
beforeEach(() => {
  context = createKernelContext();
});
afterEach(() => context.dispose());

const folder = (): string => context.home.at('audit');
const head = (): string => join(folder(), 'head.json');
const append = async (at: string, command = at): Promise<void> => {
  const entry: AuditEntry = {
    at: `${at}T00:00:00.000Z`,
    phase: 'end',
    command,
    args: {},
    account: {},
    agent: null,
    request_id: null,
    exit_code: 0,
    code: null,
    duration_ms: 1,
  };
  await appendAudit(context.home, entry, { sync: false });
};
const commands = async (): Promise<(string | null)[]> => {
  const names: (string | null)[] = [];
  for await (const line of readAudit(context.home)) names.push(line.command);
  return names;
};
const verify = async () => {
  const { lines, problems } = await verifyAudit(context.home);
  return { lines, problems };
};

test('the chain continues from one month to the next, and can be read in both directions', async () => {
  for (const day of ['2026-01-30', '2026-01-31', '2026-02-01', '2026-03-31', '2026-04-01']) await append(day);
  expect(
    readdirSync(folder())
      .filter((name) => name.endsWith('.jsonl'))
      .sort(),
  ).toEqual(['audit-2026-01.jsonl', 'audit-2026-02.jsonl', 'audit-2026-03.jsonl', 'audit-2026-04.jsonl']);
  expect(await verify()).toEqual({ lines: 5, problems: [] });
  const forward = await commands();
  expect(forward).toEqual(['2026-01-30', '2026-01-31', '2026-02-01', '2026-03-31', '2026-04-01']);
  expect([...readAuditNewestFirst(context.home)].map(({ command }) => command)).toEqual(forward.toReversed());
});

test('a clock that is a year ahead for a few lines starts no month; twenty lines confirm it', async () => {
  await append('2026-03-01');
  for (let line = 0; line < 4; line += 1) await append('2027-03-01');
  await append('2026-03-02');
  await append('2026-04-01');
  const months = (): string[] =>
    readdirSync(folder())
      .filter((name) => name.endsWith('.jsonl'))
      .sort();
  expect(months()).toEqual(['audit-2026-03.jsonl', 'audit-2026-04.jsonl']);
  for (let line = 0; line < 21; line += 1) await append('2026-08-01');
  expect(months()).toEqual(['audit-2026-03.jsonl', 'audit-2026-04.jsonl', 'audit-2026-08.jsonl']);
  expect(await verify()).toEqual({ lines: 28, problems: [] });
});

test('a clock that is set back does not append to a past month', async () => {
  await append('2026-03-01');
  await append('2026-02-01');
  await append('2025-01-01');
  expect(readdirSync(folder()).filter((name) => name.endsWith('.jsonl'))).toEqual(['audit-2026-03.jsonl']);
  expect(await verify()).toEqual({ lines: 3, problems: [] });
});

test('a removed month is detected', async () => {
  for (const day of ['2026-01-01', '2026-02-01', '2026-03-01']) await append(day);
  writeFileSync(join(folder(), 'audit-2026-02.jsonl'), '');
  expect((await verify()).problems).toEqual([
    { file: 'audit-2026-03.jsonl', line: 1, problem: 'missing or repeated lines: 1 is followed by 3' },
  ]);
});

test('a crash before the head was written loses nothing, even when the next line is of another month', async () => {
  await append('2026-01-31', 'first');
  const before = readFileSync(head());
  await append('2026-01-31', 'second');
  writeFileSync(head(), before);
  await append('2026-02-01', 'third');
  expect([await verify(), await commands()]).toEqual([
    { lines: 3, problems: [] },
    ['first', 'second', 'third'],
  ]);
});

test('an incomplete line at the end of a month is removed before the next month starts', async () => {
  await append('2026-01-31', 'first');
  appendFileSync(join(folder(), 'audit-2026-01.jsonl'), '{"at":"20');
  await append('2026-02-01', 'second');
  expect(await verify()).toEqual({ lines: 2, problems: [] });
  expect(readFileSync(join(folder(), 'audit-2026-01.jsonl'), 'utf8').endsWith('}\n')).toBe(true);
});

test('a crash after the first line of a month, before its head, loses nothing', async () => {
  await append('2026-01-31', 'first');
  const before = readFileSync(head());
  await append('2026-02-01', 'second');
  writeFileSync(head(), before);
  await append('2026-02-02', 'third');
  expect([await verify(), await commands()]).toEqual([
    { lines: 3, problems: [] },
    ['first', 'second', 'third'],
  ]);
});

test('a lost head is recovered through all months, and the loss is reported', async () => {
  for (const day of ['2026-01-01', '2026-02-01', '2026-03-01']) await append(day);
  writeFileSync(head(), 'x'.repeat(5000));
  await append('2026-03-02');
  await append('2026-03-03');
  expect(await verify()).toEqual({
    lines: 5,
    problems: [{ file: 'audit-2026-03.jsonl', line: 2, problem: 'the head was lost before this line' }],
  });
});

test('a forged line after the head is not accepted', async () => {
  await append('2026-01-01');
  appendFileSync(join(folder(), 'audit-2026-01.jsonl'), '{"seq":2,"prev":"x","hash":"y"}\n');
  await append('2026-01-02');
  expect((await verify()).problems.map(({ problem }) => problem)).toEqual([
    'changed line',
    'missing or repeated lines: 2 is followed by 2',
  ]);
});

test('lines with every kind of text verify', async () => {
  for (const text of ['a\u2028b\u2029c', 'é日本🦊', '"\\\n\r\t', '\u0085', 'x'.repeat(200_000)]) {
    await append('2026-01-01', text);
  }
  expect(await verify()).toEqual({ lines: 5, problems: [] });
});

test('the tail is valid without a log and with a complete one, and invalid when it is truncated', async () => {
  expect(await checkRecentAudit(context.home)).toBeUndefined();
  await append('2026-01-01');
  expect(await checkRecentAudit(context.home)).toBeUndefined();
  writeFileSync(join(folder(), 'audit-2026-01.jsonl'), '');
  expect(await checkRecentAudit(context.home)).toContain('lines are missing at its end');
});
