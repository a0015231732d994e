import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKernelContext, type KernelContext } from '../../test/fixtures/kernel-context.ts';
import type { WriteCommand } from '../contract/command.ts';
import runWork from '../commands/work/run.ts';
import { checkRuntime } from '../commands/doctor/check-runtime.ts';
import { deedTool } from './deed-tool.ts';
import { checkProc, checkSignals } from './doctor/check-processes.ts';
import { endRunProcesses } from './work/end-run-processes.ts';
import { triageOf } from './open-triage.ts';

/** This machine with the platform set to macOS. */
let context: KernelContext;
beforeEach(() => {
  context = createKernelContext({ tool: deedTool });
  Object.assign(context, { system: { ...context.system, platform: 'darwin' } });
});
afterEach(() => context.dispose());

test('triage is rejected with a hint', async () => {
  const triage = triageOf(context);
  const fault = { code: 'E_CONFIG', message: expect.stringContaining('darwin'), hint: expect.any(String) };
  await expect(triage.snapshot({})).rejects.toMatchObject(fault);
  await expect(triage.verify('sess-x')).rejects.toMatchObject(fault);
});

test('work without a sandbox is rejected before it is planned', async () => {
  const given = { file: 'plan.yaml', from_tasks: false, stream: false, detach: false };
  await expect(async () => (runWork as WriteCommand).plan(given as never, context)).rejects.toMatchObject({
    code: 'E_CONFIG',
    message: expect.stringContaining('this is darwin'),
    details: { isolation: 'none', setting: 'work.allow_unsandboxed' },
  });
});

test('no process is killed by its mark, because none can be found', async () => {
  expect(await endRunProcesses('any', context)).toEqual([]);
});

test('doctor reports what is missing', async () => {
  const checks = [];
  for (const check of [checkRuntime, checkProc, checkSignals])
    checks.push(await check(context, { deep: false }));
  expect(checks[0]?.message).toContain('triage and sandboxed work runs need Linux');
  expect(checks.map(({ check, status }) => [check, status])).toEqual([
    ['runtime', 'warn'],
    ['proc', 'warn'],
    ['signals', 'warn'],
  ]);
});
