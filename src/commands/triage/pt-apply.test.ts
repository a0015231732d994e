import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKernelContext, type KernelContext } from '../../../test/fixtures/kernel-context.ts';
import { deedTool } from '../../app/deed-tool.ts';
import apply from './pt-apply.ts';
import type { Command, WriteCommand } from '../../contract/command.ts';
import type { GatePolicy } from '../../contract/gate-policy.ts';
import { plainInvocation } from '../../contract/invocation.ts';
import { runWrite } from '../../contract/run-write.ts';

/** The apply command with its plan calls counted. Its session does not exist, so that it never acts. */
function countPlans(): { command: WriteCommand; plans: () => number } {
  let plans = 0;
  const command = {
    ...(apply as Command & WriteCommand),
    plan: async () => {
      plans += 1;
      return { changes: [] };
    },
  };
  return { command, plans: () => plans };
}

describe('pt apply', () => {
  let context: KernelContext;
  beforeEach(() => {
    context = createKernelContext({ tool: deedTool });
  });
  afterEach(() => context.dispose());

  const call = async (command: WriteCommand, gate: GatePolicy, dryRun: boolean): Promise<string> => {
    const params = { session: 'sess-20260115-143022-abc123', recommended: true, resume: false };
    try {
      await runWrite(command, params, plainInvocation(command), { ...context, dryRun }, gate);
      return 'answered';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('runs without a preview where no token is required', async () => {
    const { command, plans } = countPlans();
    expect(await call(command, 'open', false)).toBe('E_NOT_FOUND');
    expect(plans()).toBe(0);
  });

  it('calls plan once for a dry run', async () => {
    const { command, plans } = countPlans();
    expect(await call(command, 'open', true)).toBe('answered');
    expect(plans()).toBe(1);
  });

  it('calls plan once before its token is checked', async () => {
    const { command, plans } = countPlans();
    expect(await call(command, 'token', false)).toBe('E_CONFIRMATION_REQUIRED');
    expect(plans()).toBe(1);
  });
});
