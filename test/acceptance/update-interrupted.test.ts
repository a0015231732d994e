import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { neverResponds, stalls } from '../fixtures/release-server.ts';
import { waitFor, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import {
  createUpdateBench,
  NEW,
  OLD,
  type Installation,
  type UpdateBench,
} from '../fixtures/update-bench.ts';

const STAGES = ['discover', 'download', 'verify_signature', 'verify_checksum', 'replace', 'skill_sync'];

describe('an interrupted update', () => {
  let bench: UpdateBench;
  beforeAll(async () => {
    bench = await createUpdateBench();
    // Large enough for a signal to arrive during a stage.
    await bench.publishSmall(64 * 1024 * 1024);
  });
  afterAll(() => bench.dispose());
  beforeEach(() => bench.server.reset());

  it.each([
    ['discover', 'SIGINT'],
    ['download', 'SIGINT'],
    ['download', 'SIGTERM'],
  ] as const)('during %s by %s exits immediately and changes nothing', async (stage, signal) => {
    const { latest, archive } = bench.paths;
    bench.server.injectFailure(
      stage === 'discover' ? latest : archive,
      stage === 'discover' ? neverResponds : stalls,
    );
    const machine = bench.install();
    const started = performance.now();
    const run = await interrupt(machine, stage, signal, 200);
    // Much less than the timeout for the server.
    expect(performance.now() - started).toBeLessThan(10_000);
    expect([run.code, run.envelope.error?.code, run.envelope.error?.retryable]).toEqual([
      130,
      'E_INTERRUPTED',
      true,
    ]);
    expect(run.envelope.error?.message).toContain(`no change, deed is still ${OLD}`);
    expect(run.envelope.error?.details).toMatchObject({
      stage,
      current_version: OLD,
      binary_replaced: false,
      skill_sync_status: 'not_started',
    });
    expect([machine.version(), machine.skill(), machine.leftovers()]).toEqual([OLD, undefined, []]);
  });

  it.each(LONG ? ['verify_signature', 'verify_checksum', 'replace'] : ['replace'])(
    'in %s reports the installed version',
    async (stage) => {
      const machine = bench.install();
      const run = await interrupt(machine, stage, 'SIGINT', 0);
      expect([run.code, run.envelope.error?.code]).toEqual([130, 'E_INTERRUPTED']);
      const { details } = run.envelope.error ?? {};
      // The signal is handled at the next check, which may be in a later stage.
      expect(STAGES.indexOf(details.stage)).toBeGreaterThanOrEqual(STAGES.indexOf(stage));
      expect([machine.version(), details.binary_replaced]).toEqual([
        details.current_version,
        details.current_version === NEW,
      ]);
      expect(machine.leftovers()).toEqual([]);
    },
  );

  it.runIf(LONG)('during the Skill sync is a partial success that the next update finishes', async () => {
    const many = join(bench.skillFolder, 'many');
    mkdirSync(many);
    for (let index = 0; index < 200; index += 1) writeFileSync(join(many, `${index}.md`), `part ${index}`);
    // The new program must be able to finish the update.
    await bench.publishWhole();
    rmSync(many, { recursive: true });
    const machine = bench.install();
    const run = await interrupt(machine, 'skill_sync', 'SIGINT', 10);
    expect([run.code, run.envelope.error?.code]).toEqual([130, 'E_INTERRUPTED']);
    expect(run.envelope.error?.details).toMatchObject({
      stage: 'skill_sync',
      previous_version: OLD,
      current_version: NEW,
      binary_replaced: true,
      skill_sync_status: 'pending',
      skill_sync_command: 'npx skills add deed-cli/deed -y -g',
    });
    expect([machine.version(), machine.skill(), machine.leftovers()]).toEqual([NEW, undefined, []]);

    const again = await machine.run(['update']);
    expect(again.envelope.data).toMatchObject({
      status: 'skill_synced',
      previous_version: OLD,
      current_version: NEW,
      hint: `Run "deed changelog --since ${OLD}" to see what changed.`,
      binary_replaced: false,
      signature_status: 'verified',
      skill_sync_status: 'synced',
    });
    expect(machine.skill()).toBe('the new Skill');
    expect(readdirSync(join(machine.home, '.agents/skills'))).toEqual(['deed']);
    expect((await machine.run(['update'])).envelope.data.status).toBe('up_to_date');
  });
});

/** Runs an update and sends it a signal after a delay from the start of a stage. */
async function interrupt(
  machine: Installation,
  stage: string,
  signal: NodeJS.Signals,
  delayMs: number,
): Promise<Run> {
  const child = machine.start(['update']);
  const finished = waitFor(child);
  await stageStarted(child, stage);
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  child.kill(signal);
  return finished;
}

function stageStarted(child: ChildProcess, stage: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let stderr = '';
    child.stderr?.on('data', (text: string) => {
      stderr += text;
      if (stderr.includes(`(${stage})`)) resolve();
    });
    child.on('close', () => reject(new Error(`the update ended before ${stage}: ${stderr}`)));
  });
}
