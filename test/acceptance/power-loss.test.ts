import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCrashDisk, noCrashDisk, type CrashDisk } from '../fixtures/crash-disk.ts';
import { placeRepository } from '../fixtures/repository-template.ts';
import { deedAsync, type Run } from '../fixtures/run-deed.ts';
import { vybeAsync } from '../fixtures/run-vybe.ts';
import { LONG } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { item, shells } from '../fixtures/work-bench.ts';

const IMAGES = Number(process.env['DEED_CRASH_IMAGES']) || (LONG ? 200 : 1);
/** Losing power is most likely to damage a new home, so few images share one. */
const IMAGES_PER_HOME = 4;
const reason = noCrashDisk();
if (reason !== undefined) console.warn(`Images of a power loss are not tested: ${reason}.`);

/** What was answered with success, so a power loss must not lose it. */
interface Acknowledged {
  readonly pushes: string[];
  readonly settings: { readonly id: string; readonly value: string; readonly token: string }[];
  readonly runs: string[];
}

interface Workload {
  readonly home: string;
  readonly acknowledged: Acknowledged;
  readonly stop: () => Promise<void>;
}

function startWorkload(disk: CrashDisk, name: string, tree: string): Workload {
  const home = join(disk.path, name);
  mkdirSync(home, { mode: 0o700 });
  // Flushed: the test itself must not lose it.
  writeFileSync(join(home, 'config.json'), JSON.stringify({ 'work.agents': shells() }), {
    mode: 0o600,
    flush: true,
  });
  const acknowledged: Acknowledged = { pushes: [], settings: [], runs: [] };
  const plan = `${tree}-plan.json`;
  const state = { isOver: false };
  const repeat = async (step: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; !state.isOver; round += 1) await step(round);
  };
  /** Undefined if the call was not answered with success, for example because it waited too long on a busy machine. */
  const dryRun = async (argv: string[], cwd?: string): Promise<string | undefined> => {
    const run = await deedAsync([...argv, '--dry-run'], { home, ...(cwd && { cwd }) });
    return run.envelope.data?.confirm_token as string | undefined;
  };
  const loops = [
    repeat(async (round) => {
      const json = JSON.stringify({ event: { kind: 'note', message: `push ${round}` } });
      const argv = ['push', '--agent', 'a', '--request-id', `push_${round}`, '--json', json];
      if ((await vybeAsync(argv, { home })).code === 0) acknowledged.pushes.push(`push ${round}`);
    }),
    repeat(async () => void (await deedAsync(['context'], { home }))),
    repeat(async (round) => {
      const [id, value] = [`set_${round}`, String(1 + (round % 900))];
      const argv = ['config', 'set', 'list.limit', value, '--request-id', id];
      const token = await dryRun(argv);
      if (token === undefined) return;
      const { code } = await deedAsync([...argv, '--confirm', token], { home });
      if (code === 0) acknowledged.settings.push({ id, value, token });
    }),
    repeat(async (round) => {
      writeFileSync(plan, JSON.stringify([item(`x${round}`, `echo ${round} > x.txt`)]));
      const token = await dryRun(['work', 'run', plan], tree);
      if (token === undefined) return;
      const { code, envelope } = await deedAsync(['work', 'run', plan, '--confirm', token], {
        home,
        cwd: tree,
      });
      if (code === 0) acknowledged.runs.push(envelope.data.results[0].run_id as string);
    }),
    repeat(async () => {
      disk.flushOne(home);
      await delay(5);
    }),
  ];
  return {
    home,
    acknowledged,
    stop: async () => {
      state.isOver = true;
      await Promise.all(loops);
    },
  };
}

describe.skipIf(reason !== undefined)('after a power loss', () => {
  let disk: CrashDisk;
  let trees: ReturnType<typeof temporaryFolder>;
  beforeAll(() => {
    disk = createCrashDisk();
    trees = temporaryFolder('crash-trees');
  });
  afterAll(() => {
    disk.dispose();
    trees.dispose();
  });

  it(
    `no acknowledged write is lost, and no check reports tampering (${IMAGES} images)`,
    { timeout: 60_000 + IMAGES * 30_000 },
    async () => {
      let torn = 0;
      for (let image = 0; image < IMAGES;) {
        const tree = join(trees.path, `tree-${image}`);
        placeRepository(tree, { 'a.txt': 'one\n' });
        const name = `home-${image}`;
        const workload = startWorkload(disk, name, tree);
        try {
          for (let round = 0; round < IMAGES_PER_HOME && image < IMAGES; round += 1, image += 1) {
            await delay(Math.random() * 600);
            const before = structuredClone(workload.acknowledged);
            const isLast = round + 1 === IMAGES_PER_HOME || image + 1 === IMAGES;
            torn += await disk.afterPowerLoss(async (path) => {
              if (isLast) await workload.stop();
              return checkImage(join(path, name), before, tree);
            });
          }
        } finally {
          await workload.stop();
          // The disk is small, because each image is a copy of it.
          rmSync(workload.home, { recursive: true });
        }
      }
      console.log(`${IMAGES} images, ${torn} with a torn audit log`);
    },
  );
});

/** Returns 1 if the audit log lost lines that were not flushed. */
async function checkImage(home: string, acknowledged: Acknowledged, cwd: string): Promise<number> {
  const call = (...argv: string[]): Promise<Run> => deedAsync(argv, { home, cwd });
  const verified = await call('audit', 'verify');
  expect(verified.envelope.error).toBeUndefined();
  const { checks } = (await call('doctor')).envelope.data as { checks: { check: string; status: string }[] };
  const failed = checks.filter(({ status, check }) => status === 'fail' && /audit|store/u.test(check));
  expect(failed).toEqual([]);
  expect((await call('store', 'check')).envelope.error).toBeUndefined();
  const events = await vybeAsync(['events', 'list', '--all', '--limit', '1000'], { home });
  const messages = new Set(
    (events.answer.data.events as { message: string }[]).map(({ message }) => message),
  );
  expect(acknowledged.pushes.filter((message) => !messages.has(message))).toEqual([]);
  const receipts = await call('receipt', 'verify');
  expect(receipts.envelope.error).toBeUndefined();
  expect(receipts.envelope.data.checked).toBeGreaterThanOrEqual(new Set(acknowledged.runs).size);
  const set = acknowledged.settings.at(-1);
  if (set !== undefined) {
    const argv = ['config', 'set', 'list.limit', set.value];
    const replayed = await call(...argv, '--request-id', set.id, '--confirm', set.token);
    expect(replayed.envelope.data?.replayed).toBe(true);
    const used = await call(...argv, '--confirm', set.token);
    expect(used.envelope.error?.details.reason).toBe('used');
  }
  const push = [
    'push',
    '--agent',
    'a',
    '--request-id',
    'after',
    '--json',
    '{"event":{"kind":"k","message":"m"}}',
  ];
  expect((await vybeAsync(push, { home })).code).toBe(0);
  const after = await call('audit', 'verify');
  expect(after.envelope.error).toBeUndefined();
  return after.envelope.data.torn === undefined ? 0 : 1;
}
