import { connectTo, type SessionPlace } from './session-place.ts';
import { PROJECT } from './standard-session.ts';

const VERBS = ['Add', 'Fix', 'Document', 'Test', 'Remove'];
const PARTS = [
  'the export of invoices as CSV',
  'the search for customers by city',
  'the login with a security key',
  'the monthly report of open orders',
  'the upload of large attachments',
  'the reminder for unpaid invoices',
  'the import of bank statements',
  'the list of archived projects',
  'the rounding of discounts',
  'the time zone of appointments',
];
const TASKS = VERBS.flatMap((verb) => PARTS.map((part) => `${verb} ${part}`));

type Write = readonly [command: string, parameters: Readonly<Record<string, unknown>>];

/** Creates what the agent finds: 50 pending tasks, a memory, and what another agent did since the last session. */
export async function fillSessionStore(place: SessionPlace): Promise<void> {
  const created = TASKS.map((title): Write => {
    const description = `${title}, as described in the minutes of the last planning meeting.`;
    return ['task create', { title, description, project_id: PROJECT }];
  });
  const memory = { key: 'release.branch', value: 'release/4.2', scope: 'project', scope_id: PROJECT };
  const news = { kind: 'progress', message: 'The staging server runs release 4.2 since this morning.' };
  await writeAs('planner', created, place);
  await writeAs(
    'claude-app',
    [
      ['memory set', memory],
      ['resume', { project_dir: PROJECT }],
    ],
    place,
  );
  await writeAs('planner', [['push', { event: news }]], place);
}

/** Writes over one connection, because the start of a process takes longer than a write. */
async function writeAs(agent: string, writes: readonly Write[], place: SessionPlace): Promise<void> {
  const client = await connectTo(place, { DEED_AGENT: agent });
  for (const [index, [command, parameters]] of writes.entries()) {
    const given = { command, parameters, request_id: `${agent}-${command}-${index}` };
    const { isError, content } = await client.callTool({ name: 'call-write', arguments: given });
    if (isError === true) throw new Error(JSON.stringify(content));
  }
  await client.close();
}
