import { expect, test } from 'vitest';
import { stalls } from '../../test/fixtures/release-server.ts';
import { failure, NEW, program, request, useUpdateMachine } from '../../test/fixtures/update-machine.ts';
import { runUpdate } from './run-update.ts';
import type { UpdateStage } from './update-run.ts';

const bench = useUpdateMachine();

test('an abort in any stage before the swap changes nothing', async () => {
  const stages: UpdateStage[] = ['discover', 'download', 'verify_signature', 'verify_checksum', 'replace'];
  for (const stage of stages) {
    const abort = new AbortController();
    const progress = (message: string): void => {
      if (message.includes(`(${stage})`)) setImmediate(() => abort.abort());
    };
    const fault = await failure(
      runUpdate(request(), bench.machine.context({ signal: abort.signal, progress })),
    );
    expect([stage, fault.code]).toEqual([stage, 'E_INTERRUPTED']);
    expect(fault.message).toContain('no change, deed is still 0.1.0');
    bench.machine.expectUnchanged(fault, stage);
  }
});

test('an abort during a request takes effect immediately', async () => {
  const abort = new AbortController();
  let abortedAt = Number.NaN;
  bench.server.injectFailure(NEW.archive, (incoming, response) => {
    stalls(incoming, response);
    setTimeout(() => {
      abortedAt = performance.now();
      abort.abort();
    }, 50);
  });
  const fault = await failure(
    runUpdate(request(), bench.machine.context({ signal: abort.signal, timeoutMs: 60_000 })),
  );
  expect(fault.code).toBe('E_INTERRUPTED');
  // Much less than the timeout for the server.
  expect(performance.now() - abortedAt).toBeLessThan(20_000);
  bench.machine.expectUnchanged(fault, 'download');
});

test('an abort during the Skill sync leaves the new program, and the next update finishes the Skill', async () => {
  const abort = new AbortController();
  const progress = (message: string): void => {
    if (message.includes('(skill_sync)')) abort.abort();
  };
  const fault = await failure(
    runUpdate(request(), bench.machine.context({ signal: abort.signal, progress })),
  );
  expect(fault.code).toBe('E_INTERRUPTED');
  expect(fault.details).toMatchObject({
    stage: 'skill_sync',
    previous_version: '0.1.0',
    current_version: '0.2.0',
    binary_replaced: true,
    skill_sync_status: 'pending',
    skill_sync_command: 'npx skills add deed-cli/deed -y -g',
  });
  expect([bench.machine.installed(), bench.machine.skill()]).toEqual([
    program('0.2.0').toString(),
    undefined,
  ]);
  bench.machine.expectNoLeftovers();

  const { status, run } = await runUpdate(
    { runningVersion: '0.2.0', targetVersion: undefined },
    bench.machine.context(),
  );
  expect([status, run.binaryReplaced, run.skillSyncStatus]).toEqual(['skill_synced', false, 'synced']);
  expect(bench.machine.skill()).toBe('the new Skill');
  expect(
    (await runUpdate({ runningVersion: '0.2.0', targetVersion: undefined }, bench.machine.context())).status,
  ).toBe('up_to_date');
});
