import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redact } from '../../base/secrets/redact.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import type { Executor, ExecutorResult } from '../executors/executor.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { WorkContext } from '../work-context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { explainAgentFailure } from './explain-agent-failure.ts';
import { truncateCall } from './truncate-call.ts';
import { collectOutput } from './collect-output.ts';
import { startGuard, type Stop } from './guard.ts';
import type { RunDraft } from './run-draft.ts';
import { epochOf, runEnvironment } from './run-environment.ts';
import { RECORDING, runFolder } from './run-folder.ts';
import { emitEvent } from './emit-event.ts';

export interface Executed {
  readonly end: ExecutorResult;
  readonly stop: Stop | undefined;
  readonly seen: Pick<RunDraft, 'toolTrace' | 'toolSource' | 'executionMs' | 'usage'>;
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
  const folder = runFolder(context.home, draft.runId);
  const outputs = {
    stdout: collectOutput(WORK_LIMITS.outputBytes),
    stderr: collectOutput(WORK_LIMITS.outputBytes),
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
    writeFileSync(join(workspace.scratch.host, 'item.json'), JSON.stringify(item), { mode: 0o644 });
    end = await executor.run({
      item,
      runId: draft.runId,
      workspace,
      env: {
        ...runEnvironment(context, draft.agent, { ...draft, sourceDateEpoch: epochOf(draft) }),
        ...env,
        DEED_ITEM: join(workspace.scratch.inside, 'item.json'),
      },
      signal: guard.signal,
      onTool: (call) => {
        guard.onTool(truncateCall(redact(call)));
        emitEvent(context, draft, 'tool.called', call.name);
      },
      onOutput: (stream, chunk) => outputs[stream].push(chunk),
      now: context.clock.now,
    });
  } finally {
    stop = guard.end();
    for (const name of ['stdout', 'stderr'] as const) {
      const text = outputs[name].text();
      if (log && text !== '') writeFileSync(join(folder, `${name}.log`), redact(text), { mode: 0o600 });
    }
  }
  if (log && end.recording !== undefined && Buffer.byteLength(end.recording) <= WORK_LIMITS.recordingBytes)
    writeFileDurably(join(folder, RECORDING), end.recording);
  const output = `${outputs.stderr.text()}\n${outputs.stdout.text()}`;
  return {
    end: { ...end, error: explainAgentFailure(end.error, output, workspace) },
    stop,
    seen: {
      toolTrace: guard.trace(),
      toolSource: executor.toolSource,
      executionMs: context.clock.now() - startedAt,
      ...(end.usage && { usage: end.usage }),
    },
  };
}
