import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKernelContext, type KernelContext } from '../../test/fixtures/kernel-context.ts';
import type { WriteCommand } from '../contract/command.ts';
import runWork from '../commands/work/run.ts';
import { checkRuntime } from '../commands/doctor/check-runtime.ts';
import { deedTool } from './deed-tool.ts';
import { checkProc, checkSignals } from './doctor/check-processes.ts';
import { endRunProcesses } from './work/end-run-processes.ts';
import { triageOf } from './open-triage.ts';

/** The same machine, as a program would see it that was told to be on macOS. */
let context: KernelContext;
beforeEach(() => {
  context = createKernelContext({ tool: deedTool });
  Object.assign(context, { system: { ...context.system, platform: 'darwin' } });
});
afterEach(() => context.dispose());

test('triage is refused with the way out', async () => {
  const triage = triageOf(context);
  const refusal = { code: 'E_CONFIG', message: expect.stringContaining('darwin'), hint: expect.any(String) };
  await expect(triage.snapshot({})).rejects.toMatchObject(refusal);
  await expect(triage.verify('sess-x')).rejects.toMatchObject(refusal);
});

test('work that would run unconfined is refused before anything is planned', async () => {
  const given = { file: 'plan.yaml', from_tasks: false, stream: false, detach: false };
  await expect(async () => (runWork as WriteCommand).plan(given as never, context)).rejects.toMatchObject({
    code: 'E_CONFIG',
    details: { platform: 'darwin', setting: 'work.workspace' },
  });
});

test('nothing is ended by its mark, since nothing can be found', async () => {
  expect(await endRunProcesses('any', context)).toEqual([]);
});

test('doctor says what is missing', async () => {
  const checks = [];
  for (const check of [checkRuntime, checkProc, checkSignals])
    checks.push(await check(context, { deep: false }));
  expect(checks.map(({ check, status }) => [check, status])).toEqual([
    ['runtime', 'warn'],
    ['proc', 'warn'],
    ['signals', 'warn'],
  ]);
});
