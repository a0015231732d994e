import type { AgentConfig } from '../executors/agent-config.ts';
import { describeLine } from '../executors/describe-line.ts';
import { excerpt } from '../../base/text.ts';
import { WORK_LIMITS } from '../work-limits.ts';

const LINE_CHARACTERS = 500;

/** The last lines of an agent's output, for people. */
export function describeTail(
  agent: Pick<AgentConfig, 'kind'> | undefined,
  lines: readonly string[],
): readonly string[] {
  return lines
    .flatMap((line) => describeLine(agent?.kind, line)?.split('\n') ?? [])
    .filter((line) => line.trim() !== '')
    .map((line) => excerpt(line.trimEnd(), LINE_CHARACTERS))
    .slice(-WORK_LIMITS.tailLines);
}
