import { describeUnmatched, findUnmatchedRules } from '../approval/unmatched-rules.ts';
import type { ToolHost } from '../tool-host.ts';
import type { SessionScope } from './session-scope.ts';
import { ToolStartError } from './start-tools.ts';

/** Throws for approval rules that match none of the tools that they are meant for. A rule that only allows, or is a precaution for later tools, causes a warning instead. */
export function checkApprovalRules({ config, tools, log }: SessionScope, hosts: readonly ToolHost[]): void {
  const found = findUnmatchedRules(
    (config.approval ?? []).flat(),
    [...tools.values()].map(({ definition }) => definition),
    hosts.flatMap((host) => host.withheld?.() ?? []),
  );
  const refused = found.find(({ rule, isPrecaution }) => rule.decision !== 'allow' && !isPrecaution);
  if (refused !== undefined)
    throw new ToolStartError(
      'config',
      `Invalid session configuration: ${sentence(describeUnmatched(refused))}`,
    );
  for (const each of found) log('WRN', `A rule is not used: ${sentence(describeUnmatched(each))}`);
}

function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}
