import { AGENT_MARK } from '../../base/agent-mark.ts';

/** Marks that say who started a process or restarts it; nothing else of an environment is kept, since it is full of secrets. */
const MARKS: ReadonlySet<string> = new Set([
  'DEED_RUN_ID',
  AGENT_MARK,
  'INVOCATION_ID',
  'PM2_HOME',
  'pm_id',
  'SUPERVISOR_ENABLED',
  'SUPERVISOR_GROUP_NAME',
  'SUPERVISOR_PROCESS_NAME',
  'SUPERVISOR_SERVER_URL',
]);

const MARK_CHARACTERS = 200;

/** Reads `<pid>/environ`: the environment it was started with. */
export function parseEnviron(bytes: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of bytes.toString('utf8').split('\0')) {
    const equals = entry.indexOf('=');
    const name = entry.slice(0, equals);
    if (equals > 0 && MARKS.has(name)) found[name] = entry.slice(equals + 1, equals + 1 + MARK_CHARACTERS);
  }
  return found;
}
