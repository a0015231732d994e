import { redactText } from '../../base/secrets/redact.ts';
import { Fault } from '../../base/fault.ts';
import { killWhen } from '../../system/kill-when.ts';
import { writeCoveredFile } from '../receipt/issue-receipt.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { WorkContext } from '../work-context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { collectOutput } from './collect-output.ts';
import { emitEvent } from './emit-event.ts';
import { takeServiceFailure } from './item-workspace.ts';
import type { RunDraft } from './run-draft.ts';
import { epochOf, runEnvironment } from './run-environment.ts';
import { runFolder } from './run-folder.ts';

const TAIL_CHARACTERS = 2000;

/** Runs the setup command of an item in its workspace, before the agent. Contract: a command that fails is E_AGENT_FAILED. */
export async function runSetupCommand(
  context: WorkContext,
  draft: RunDraft,
  workspace: Workspace,
  { log = true }: { readonly log?: boolean } = {},
): Promise<void> {
  const { setup_command: command, constraints, network = true } = draft.item;
  if (command === undefined) return;
  emitEvent(context, draft, 'setup.started');
  const child = workspace.spawn(['/bin/sh', '-c', command], {
    env: runEnvironment(context, draft.agent, { ...draft, sourceDateEpoch: epochOf(draft) }),
    layer: 'run',
    network,
    maxFileBytes: WORK_LIMITS.diskBytes,
  });
  const output = collectOutput(WORK_LIMITS.outputBytes);
  child.stdout.on('data', output.push);
  child.stderr.on('data', output.push);
  child.stdin.end();
  const killing = killWhen(child, { signal: context.signal, timeoutMs: constraints.timeout_ms });
  try {
    const { exitCode } = await child.ended;
    const text = redactText(output.text());
    if (log)
      writeCoveredFile(runFolder(context.home, draft.runId), 'setup.log', text === '' ? undefined : text);
    if (context.signal.aborted) throw new Fault('E_INTERRUPTED', 'Interrupted');
    const problem =
      takeServiceFailure(workspace) ??
      (killing.timedOut()
        ? `it did not finish within ${constraints.timeout_ms} ms`
        : exitCode === 0
          ? undefined
          : `exit code ${exitCode}`);
    emitEvent(context, draft, 'setup.ended', problem ?? 'done');
    if (problem !== undefined)
      throw new Fault(
        'E_AGENT_FAILED',
        `The setup command failed: ${problem}\n${text.slice(-TAIL_CHARACTERS)}`.trim(),
      );
  } finally {
    killing.release();
  }
}
