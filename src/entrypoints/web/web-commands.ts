import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';
import { effectOf, type Command } from '../../contract/command.ts';
import type { WebHost } from './web-host.ts';

/** The commands that the pages call, with the parameters they use. Anything else is refused, so a stolen session can do no more than the pages. */
export const WEB_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'work list': ['status', 'job', 'limit', 'cursor'],
  'work status': ['id', 'detail'],
  'work fleet': ['all'],
  'worker list': [],
  'work show': ['id'],
  'work log': ['id', 'follow', 'tail'],
  'work diff': ['id'],
  'work replay': ['id'],
  'work approve': ['id', 'note'],
  'work reject': ['id', 'note'],
  'work revise': ['id', 'comment', 'detach'],
  'work rollback': ['id'],
  'work run': ['resume', 'detach'],
  'work cancel': ['id'],
  'receipt verify': ['id'],
  'task list': ['status', 'limit', 'cursor'],
  'task get': ['id'],
  'task create': ['title', 'description', 'project_id', 'priority'],
  'task edit': ['id', 'title', 'description', 'expected_title', 'expected_description'],
  'task set-status': ['id', 'status', 'blocked_reason', 'expected_status'],
  'task set-priority': ['id', 'priority', 'expected_priority'],
  'task begin': ['id', 'agent', 'lease'],
  'task add-dep': ['id', 'depends_on'],
  'task remove-dep': ['id', 'depends_on'],
  'agent costs': ['since'],
  'agent sessions list': ['status', 'limit', 'cursor'],
  'agent sessions show': ['id', 'detail'],
  'agent run': ['resume', 'approve', 'deny'],
  'triage protect list': [],
  'triage protect add': ['name', 'reason'],
  'triage protect remove': ['name'],
  'events list': ['task_id', 'kind', 'search', 'limit', 'cursor', 'all'],
  'memory list': ['scope', 'scope_id', 'scopes', 'limit', 'cursor'],
  'memory search': ['query', 'scope', 'scope_id', 'limit', 'cursor'],
  'memory history': ['key', 'scope', 'scope_id'],
  'memory confirm': ['key', 'scope', 'scope_id'],
  'memory delete': ['key', 'scope', 'scope_id'],
  'triage plan': ['session', 'limit', 'include_ledger'],
  'triage fleet': [],
  'triage apply': ['session', 'targets'],
  'audit list': ['failed', 'limit', 'cursor'],
  'audit verify': [],
  'receipt list': ['limit', 'cursor'],
  'receipt show': ['id'],
  doctor: [],
};

/** Loads a command that the pages may call with these parameters. */
export async function webCommand(
  path: string,
  parameters: Readonly<Record<string, unknown>>,
  host: WebHost,
): Promise<Command> {
  const allowed = ownMember(WEB_COMMANDS, path);
  if (allowed === undefined) {
    throw new Fault('E_NOT_FOUND', `"${path}" is not a command of the web pages.`, {
      hint: 'Run it in a terminal.',
      details: { field: 'command', allowed: Object.keys(WEB_COMMANDS) },
    });
  }
  const other = Object.keys(parameters).find((name) => !allowed.includes(name));
  if (other !== undefined) {
    throw new Fault('E_VALIDATION', `The web pages cannot pass "${other}" to "${path}".`, {
      hint: 'Run it in a terminal.',
      details: { field: other, allowed: [...allowed] },
    });
  }
  const command = await host.table.load(path);
  if (host.readOnly && effectOf(command) === 'write') {
    throw new Fault('E_FORBIDDEN', `"${path}" is a write, and this server is read-only.`, {
      hint: 'Start "deed web" without --read-only.',
      details: { field: 'command', read_only: true },
    });
  }
  return command;
}
