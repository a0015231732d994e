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
import { startLimitWatcher, type Stop } from './limit-watcher.ts';
import type { RunDraft } from './run-draft.ts';
import { openAgentOutput } from './agent-output.ts';
import { earlierUsage, prepareTask } from './prepare-task.ts';
import { epochOf, runEnvironment } from './run-environment.ts';
import { RECORDING, runFolder } from './run-folder.ts';
import { emitEvent } from './emit-event.ts';

export interface Executed {
  readonly result: ExecutorResult;
  readonly stop: Stop | undefined;
  readonly seen: Pick<RunDraft, 'toolTrace' | 'toolSource' | 'executionMs' | 'usage' | 'lastOutput'>;
}

/** Runs an agent within its limits and saves its output. */
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
  const watcher = startLimitWatcher(
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
  let result: ExecutorResult;
  try {
    const task = await prepareTask(context, workspace, draft, baseEnv);
    result = await executor.run({
      item: task.item,
      session: task.session,
      runId: draft.runId,
      workspace,
      env: { ...baseEnv, ...task.env },
      signal: watcher.signal,
      onTool: (call) => {
        const isNew = watcher.onTool(truncateCall(redact(call)));
        if (isNew) emitEvent(context, draft, 'tool.called', call.name);
      },
      onOutput: output.push,
      now: context.clock.now,
      keeper: context.keepSession?.({ runId: draft.runId, item, workspace, env: baseEnv }),
    });
  } finally {
    stop = watcher.stop();
    output.end();
  }
  if (
    log &&
    result.recording !== undefined &&
    Buffer.byteLength(result.recording) <= WORK_LIMITS.recordingBytes
  )
    writeFileDurably(join(runFolder(context.home, draft.runId), RECORDING), result.recording);
  return {
    result: { ...result, error: explainAgentFailure(result.error, output.text(), workspace) },
    stop,
    seen: {
      toolTrace: watcher.trace(),
      toolSource: executor.toolSource,
      executionMs: context.clock.now() - startedAt,
      ...(result.usage && { usage: withoutEarlier(result.usage, earlierUsage(context.home, draft)) }),
      ...output.tail(),
    },
  };
}
