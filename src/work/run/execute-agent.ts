import { join } from 'node:path';
import { redact } from '../../base/secrets/redact.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { withoutEarlier } from '../executors/agent-usage.ts';
import type { Executor, ExecutorResult } from '../executors/executor.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { WorkContext } from '../work-context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { explainAgentFailure } from './explain-agent-failure.ts';
import { truncateCall } from './truncate-call.ts';
import { startGuard, type Stop } from './guard.ts';
import type { RunDraft } from './run-draft.ts';
import { openAgentOutput } from './agent-output.ts';
import { earlierUsage, prepareTask } from './prepare-task.ts';
import { epochOf, runEnvironment } from './run-environment.ts';
import { RECORDING, runFolder } from './run-folder.ts';
import { emitEvent } from './emit-event.ts';

export interface Executed {
  readonly end: ExecutorResult;
  readonly stop: Stop | undefined;
  readonly seen: Pick<RunDraft, 'toolTrace' | 'toolSource' | 'executionMs' | 'usage' | 'lastOutput'>;
}

/** Runs an agent under the guard and saves its output. */
export async function executeAgent(
  executor: Executor,
  workspace: Workspace,
  context: WorkContext,
  draft: RunDraft,
  { log = true, env = {} }: { log?: boolean; env?: Readonly<Record<string, string>> } = {},
): Promise<Executed> {
  const { item } = draft;
  const output = openAgentOutput(context, draft, log);
  const baseEnv = {
    ...runEnvironment(context, draft.agent, { ...draft, sourceDateEpoch: epochOf(draft) }),
    ...env,
  };
  const guard = startGuard(
    {
      maxToolOps: item.constraints.max_tool_ops,
      timeoutMs: item.constraints.timeout_ms,
      diskBytes: context.diskBytes ?? WORK_LIMITS.diskBytes,
    },
    workspace.writtenBytes,
    context.signal,
  );
  const startedAt = context.clock.now();
  let stop: Stop | undefined;
  let end: ExecutorResult;
  try {
    const task = await prepareTask(context, workspace, draft, baseEnv);
    end = await executor.run({
      item: task.item,
      session: task.session,
      runId: draft.runId,
      workspace,
      env: { ...baseEnv, ...task.env },
      signal: guard.signal,
      onTool: (call) => {
        guard.onTool(truncateCall(redact(call)));
        emitEvent(context, draft, 'tool.called', call.name);
      },
      onOutput: output.push,
      now: context.clock.now,
    });
  } finally {
    stop = guard.end();
    output.end();
  }
  if (log && end.recording !== undefined && Buffer.byteLength(end.recording) <= WORK_LIMITS.recordingBytes)
    writeFileDurably(join(runFolder(context.home, draft.runId), RECORDING), end.recording);
  return {
    end: { ...end, error: explainAgentFailure(end.error, output.text(), workspace) },
    stop,
    seen: {
      toolTrace: guard.trace(),
      toolSource: executor.toolSource,
      executionMs: context.clock.now() - startedAt,
      ...(end.usage && { usage: withoutEarlier(end.usage, earlierUsage(context.home, draft)) }),
      ...output.tail(),
    },
  };
}
