import { afterAll, expect, test } from 'vitest';
import { createKernelContext } from '../../../test/fixtures/kernel-context.ts';
import { DEED_COMMANDS } from '../../commands/table.ts';
import { Fault } from '../../base/fault.ts';
import { createTable } from '../../contract/command-table.ts';
import { DEED_OFFER } from './deed-offer.ts';
import { describeOffered } from './discover-commands.ts';
import type { McpHost } from './mcp-host.ts';
import { faultInMcpTerms, toMcpTerms } from './mcp-terms.ts';
import { isOffered } from './offered-commands.ts';

const context = createKernelContext();
afterAll(() => context.dispose());
const table = createTable(DEED_COMMANDS);
const host: McpHost = {
  ...context,
  tool: { ...context.tool, name: 'deed' },
  table,
  session: 'mcp-test',
  offer: DEED_OFFER,
  onCall: () => undefined,
};

const WORDS: readonly (readonly [string, string, string])[] = [
  [
    'store backup',
    'Run it with --dry-run first; then repeat it with --confirm and the confirm_token from the answer.',
    'Run it with dry_run: true first; then repeat it with confirm and the confirm_token from the answer.',
  ],
  [
    'push',
    'Add --request-id with a unique value, and use the same value for retries.',
    'Add request_id with a unique value, and use the same value for retries.',
  ],
  [
    'triage apply',
    'Repeat the call with --dangerous; the token is still valid.',
    'Repeat the call with dangerous: true; the token is still valid.',
  ],
  [
    'triage apply',
    'Pass --recommended for all preselected actions, or processes with --targets.',
    'Pass recommended: true for all preselected actions, or processes with targets.',
  ],
  [
    'work run',
    '"deed task list" shows all tasks; --project selects a project other than the tree.',
    'call-read {"command":"task list"} shows all tasks; project selects a project other than the tree.',
  ],
  ['memory get', 'Pass the project to --scope-id.', 'Pass the project to scope_id.'],
  ['task list', 'The title "use --limit" has --limit in it.', 'The title "use --limit" has limit in it.'],
  [
    'work show',
    'The tree is unchanged. See: deed work show run_1; undo a run with deed work rollback.',
    'The tree is unchanged. See: call-read {"command":"work show","parameters":{"id":"run_1"}}; undo a run with call-write {"command":"work rollback"}.',
  ],
  [
    'work run',
    'Resume it: deed work run --resume job_1',
    'Resume it: call-write {"command":"work run","parameters":{"resume":"job_1"}}',
  ],
  [
    'work run',
    'Fix the plan; "deed work run --help" shows an example.',
    'Fix the plan; describe {"command":"work run"} shows an example.',
  ],
  [
    'work run',
    `Set it: deed memory set --scope task --scope-id t1 --key work --value '{"agent_id":"agent-1"}'.`,
    'Set it: call-write {"command":"memory set","parameters":{"scope":"task","scope_id":"t1","key":"work","value":"{\\"agent_id\\":\\"agent-1\\"}"}}.',
  ],
  [
    'task list',
    'See: reference --command "task list".',
    'See: call-read {"command":"reference","parameters":{"command":"task list"}}.',
  ],
  [
    'triage verify',
    'Apply it first: apply --session sess-1 --recommended.',
    'Apply it first: call-write {"command":"triage apply","parameters":{"session":"sess-1","recommended":true}}.',
  ],
  [
    'work run',
    'Its changes: deed work diff run_1. Ask a person to run: deed work approve run_1 (or deed work reject run_1); then: deed work run --resume job_1',
    'Its changes: call-read {"command":"work diff","parameters":{"id":"run_1"}}. Ask a person to run: deed work approve run_1 (or deed work reject run_1); then: call-write {"command":"work run","parameters":{"resume":"job_1"}}',
  ],
  [
    'task list',
    'Run "deed update", or pass another file to --db-path.',
    'Run "deed update", or pass another file to db_path.',
  ],
  ['doctor', 'Install it: npm install --global deed-cli.', 'Install it: npm install --global deed-cli.'],
];

test.each(WORDS)('a hint of %s is translated: %s', async (path, text, expected) => {
  expect(await toMcpTerms(text, { host, command: await table.load(path) })).toBe(expected);
});

test('the details of a fault keep their data, and its advice is translated', async () => {
  const fault = new Fault('E_CONFLICT', '--fields does not apply.', {
    details: { flag: '--fields', resume: 'deed work run --resume job_1', title: 'deed task list --limit 1' },
  });
  const translated = await faultInMcpTerms(fault, { host });
  expect(translated.message).toBe('fields does not apply.');
  expect(translated.details).toEqual({
    flag: 'fields',
    resume: 'call-write {"command":"work run","parameters":{"resume":"job_1"}}',
    title: 'deed task list --limit 1',
  });
});

test('no description of an offered command mentions a flag, and its examples are arguments', async () => {
  const commands = (await table.loadAll()).filter((command) => isOffered(command, DEED_OFFER));
  for (const { path, examples } of commands) {
    const { examples: calls, ...rest } = await describeOffered(path, host);
    const text = JSON.stringify(rest);
    expect([path, /(?<!\w)--[a-z][\w-]*[^"]{0,40}/u.exec(text)?.[0]]).toEqual([path, undefined]);
    const list = calls as { command: string }[];
    expect(list.length).toBeGreaterThan(0);
    expect(list.length).toBeLessThanOrEqual(examples.length);
    for (const call of list) expect(call.command).toBe(path);
  }
});

test('an example of a journal write has a request id and no token', async () => {
  const { examples } = await describeOffered('task create', host);
  expect(examples).toEqual([
    {
      command: 'task create',
      parameters: { title: 'Write the parser', agent: 'claude-app' },
      request_id: 'r1',
    },
  ]);
});
