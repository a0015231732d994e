import { appendFileSync, cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKernelContext, type KernelContext } from '../../test/fixtures/kernel-context.ts';
import { unpackHome } from '../../test/fixtures/release-0.1.0.ts';
import { temporaryFolder } from '../../test/fixtures/temporary-folder.ts';
import { appendAudit } from './audit-log.ts';
import { checkRecentAudit } from './check-recent-audit.ts';
import { planRetirement, retireMonths } from './retire-audit.ts';
import { verifyAudit } from './verify-audit.ts';

let context: KernelContext;
beforeEach(async () => {
  context = createKernelContext();
  for (const day of ['01-30', '01-31', '02-01', '02-02', '02-03']) await append(`2026-${day}`);
});
afterEach(() => context.dispose());

const at = (name: string): string => context.home.at('audit', name);
const LOG = 'audit-2026-02.jsonl';

const append = (day: string, sync = false): Promise<unknown> =>
  appendAudit(
    context.home,
    {
      at: `${day}T00:00:00.000Z`,
      phase: 'end',
      command: 'config list',
      args: { zone: 'ä', area: { b: 1, a: 2 } },
      account: { user: 'me', uid: '0', host: 'here' },
      agent: null,
      request_id: null,
      exit_code: 0,
      code: null,
      duration_ms: 1,
    },
    { sync },
  );

/** Whether `audit verify` and `doctor` report a problem. */
const reported = async (): Promise<readonly boolean[]> => [
  (await verifyAudit(context.home)).problems.length > 0,
  (await checkRecentAudit(context.home)) !== undefined,
];

function edit(name: string, change: (text: string) => string): void {
  writeFileSync(at(name), change(readFileSync(at(name), 'utf8')));
}

/** Changes the first line, as an object. */
function editLine(change: (line: Record<string, unknown>) => Record<string, unknown>): void {
  edit(LOG, (text) => {
    const [first = '', ...rest] = text.split('\n');
    return [JSON.stringify(change(JSON.parse(first) as Record<string, unknown>)), ...rest].join('\n');
  });
}

describe('a change of the bytes that leaves the content as it was is reported', () => {
  it.each<[string, () => void]>([
    ['spaces', () => edit(LOG, (text) => text.replace('"phase":', '"phase": '))],
    ['line ends', () => edit(LOG, (text) => text.replaceAll('\n', '\r\n'))],
    ['an escape', () => edit(LOG, (text) => text.replace('config', String.raw`c\u006fnfig`))],
    ['the order of members', () => editLine((line) => Object.fromEntries(Object.entries(line).toReversed()))],
    [
      'the order of arguments',
      () =>
        editLine((line) => ({
          ...line,
          args: Object.fromEntries(Object.entries(line.args as object).toReversed()),
        })),
    ],
    ['a repeated member', () => edit(LOG, (text) => text.replace('{"at"', '{"command":"forged","at"'))],
    ['an empty line', () => edit(LOG, (text) => text.replace('\n', '\n\n'))],
    ['text at the end', () => appendFileSync(at(LOG), 'hello\n')],
    ['the last line feed', () => truncateSync(at(LOG), readFileSync(at(LOG)).length - 1)],
    ['a missing anchor', () => rmSync(context.home.at('audit.anchor'))],
  ])('(%s)', async (_what, change) => {
    expect(await reported()).toEqual([false, false]);
    change();
    expect(await reported()).toEqual([true, true]);
  });

  it('(a byte of the head)', async () => {
    const head = readFileSync(at('head.json'));
    const unnoticed: number[] = [];
    for (let index = 0; index < head.length; index += 3) {
      writeFileSync(at('head.json'), head.with(index, (head[index] ?? 0) ^ 1));
      if ((await reported()).includes(false)) unnoticed.push(index);
    }
    expect(unnoticed).toEqual([]);
  });
});

describe('a lost head', () => {
  it('is reported until a person retires its month, which the summary records', async () => {
    rmSync(at('head.json'));
    for (let call = 0; call < 3; call += 1) {
      await append('2026-02-04');
      expect(await reported()).toEqual([true, true]);
    }
    await append('2026-03-01', true);
    expect(await reported()).toEqual([true, true]);
    const request = { before: '2026-03', deletes: false, now: '2026-03-02T00:00:00.000Z' };
    expect(planRetirement(context.home, request)).toHaveLength(2);
    await retireMonths(context.home, request, () => undefined);
    expect(await reported()).toEqual([false, false]);
    const { retired } = await verifyAudit(context.home);
    expect(retired.map(({ month, heads_lost }) => [month, heads_lost])).toEqual([
      ['2026-01', undefined],
      ['2026-02', 1],
    ]);
  });

  it('is reported too when the whole folder was removed', async () => {
    rmSync(context.home.at('audit'), { recursive: true });
    await append('2026-02-04');
    await append('2026-02-05');
    expect(await reported()).toEqual([true, true]);
  });
});

it('lines and heads of 0.1.0 are valid, and their bytes cannot be changed either', async () => {
  const folder = temporaryFolder('audit-of-0.1.0');
  unpackHome(folder.path);
  rmSync(context.home.at('audit'), { recursive: true });
  rmSync(context.home.at('audit.anchor'));
  cpSync(join(folder.path, 'user/.deed/audit'), context.home.at('audit'), { recursive: true });
  expect(await reported()).toEqual([false, false]);
  await append('2026-11-01');
  expect(await reported()).toEqual([false, false]);
  edit('audit-2026-10.jsonl', (text) => text.replace('"phase":', '"phase": '));
  expect((await reported())[0]).toBe(true);
  folder.dispose();
});
