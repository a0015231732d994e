import { vybeCall, type SessionPlace } from './session-place.ts';
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

/** Creates what the agent finds: 50 pending tasks, a memory, and what another agent did since the last session. */
export function fillStore(place: SessionPlace): void {
  const write = (agent: string, words: readonly string[], id: string): void => {
    vybeCall(place, [...words, '--agent', agent, '--request-id', id]);
  };
  for (const [index, title] of TASKS.entries()) {
    const description = `${title}, as described in the minutes of the last planning meeting.`;
    const words = ['task', 'create', '--title', title, '--desc', description, '--project-id', PROJECT];
    write('planner', words, `plan_${index}`);
  }
  const memory = ['--key', 'release.branch', '--value', 'release/4.2', '--scope', 'project'];
  write('claude-app', ['memory', 'set', ...memory, '--scope-id', PROJECT], 'before_1');
  write('claude-app', ['resume', '--project-dir', PROJECT], 'before_2');
  const event = { kind: 'progress', message: 'The staging server runs release 4.2 since this morning.' };
  write('planner', ['push', '--json', JSON.stringify({ event })], 'since_1');
}
