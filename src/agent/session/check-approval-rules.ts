import { describeUnmatched, findUnmatchedRules } from '../approval/unmatched-rules.ts';
import type { ToolHost } from '../tool-host.ts';
import type { SessionScope } from './session-scope.ts';
import { ToolStartError } from './start-tools.ts';

/** Refuses rules that match none of the tools that they are for. One that only allows is reported, because it protects nothing. */
export function checkApprovalRules({ config, tools, log }: SessionScope, hosts: readonly ToolHost[]): void {
  const found = findUnmatchedRules(
    (config.approval ?? []).flat(),
    [...tools.values()].map(({ definition }) => definition),
    hosts.flatMap((host) => host.withheld?.() ?? []),
  );
  const refused = found.find(({ rule }) => rule.decision !== 'allow');
  if (refused !== undefined)
    throw new ToolStartError(
      'config',
      `Invalid session configuration: ${sentence(describeUnmatched(refused))}`,
    );
  for (const each of found) log('WRN', `Ignoring a rule: ${sentence(describeUnmatched(each))}`);
}

function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}
