import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redact } from '../../base/secrets/redact.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { WorkContext } from '../work-context.ts';
import { collectOutput } from './collect-output.ts';
import { describeTail } from './describe-tail.ts';
import type { RunDraft } from './run-draft.ts';
import { runFolder } from './run-folder.ts';
import { openRunLog } from './run-log.ts';

/** Collects what an agent prints. Contract: the caller must call `end`. */
export interface AgentOutput {
  readonly push: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
  /** Saves the output in the folder of the run. */
  readonly end: () => void;
  readonly text: () => string;
  /** The last lines, for people. */
  readonly tail: () => Pick<RunDraft, 'lastOutput'>;
}

/** Opens the output of a run: each stream as a file at the end, and all lines in a log while it runs. A replay saves nothing. */
export function openAgentOutput(
  { home, clock }: Pick<WorkContext, 'home' | 'clock'>,
  { runId, agent }: Pick<RunDraft, 'runId' | 'agent'>,
  isSaved: boolean,
): AgentOutput {
  const outputs = {
    stdout: collectOutput(WORK_LIMITS.outputBytes),
    stderr: collectOutput(WORK_LIMITS.outputBytes),
  };
  const log = isSaved ? openRunLog(home, runId, clock.now) : undefined;
  return {
    push: (stream, chunk) => {
      outputs[stream].push(chunk);
      log?.push(stream, chunk);
    },
    end: () => {
      log?.end();
      for (const name of ['stdout', 'stderr'] as const) {
        const text = outputs[name].text();
        if (isSaved && text !== '')
          writeFileSync(join(runFolder(home, runId), `${name}.log`), redact(text), { mode: 0o600 });
      }
    },
    text: () => `${outputs.stderr.text()}\n${outputs.stdout.text()}`,
    tail: () => (log === undefined ? {} : { lastOutput: describeTail(agent, log.tail()) }),
  };
}
