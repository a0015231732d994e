import { quoteForShell } from '../../base/quote-for-shell.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import type { QueryRunner } from '../../continuity/database/database.ts';
import { memoryHistory } from '../../continuity/database/queries/memories.ts';
import { isPerson } from '../../continuity/person.ts';
import type { TaskRow } from '../../continuity/tasks/task.ts';

/** The memory key for the work settings of a task: fields of a work item, as JSON. */
const WORK_KEY = 'work';
const RESERVED_FIELDS: ReadonlySet<string> = new Set(['id', 'description', 'dependencies', 'task_id']);

/**
 * Reads the work settings of a task. They decide about tests, approval and network, so they count only as a directive, which agents
 * can neither write nor delete. Any other memory, even a deleted one, may have been the choice of an agent: a person has to confirm it.
 */
export async function readWorkSettings(
  db: QueryRunner,
  row: TaskRow,
  at: string,
): Promise<Record<string, unknown>> {
  const [memory] = await db.all(memoryHistory, {
    scope: 'task',
    scope_id: row.id,
    key: WORK_KEY,
    limit: 1,
  });
  if (memory === undefined) return {};
  const isOver = memory.superseded_at !== null || (memory.expires_at !== null && memory.expires_at <= at);
  if (memory.kind !== 'directive' || !isPerson(memory.source_agent))
    throw unconfirmed(row.id, memory.source_agent, isOver ? '{}' : memory.value);
  return isOver ? {} : parseSettings(row.id, memory.value);
}

/** The command with which a person sets the work settings of a task. */
export function renderSetting(taskId: string, value: string): string {
  return `deed memory set --scope task --scope-id ${taskId} --key ${WORK_KEY} --kind directive --value ${quoteForShell(value)}`;
}

function parseSettings(id: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (isPlainObject(value) && !Object.keys(value).some((name) => RESERVED_FIELDS.has(name))) return value;
  throw new Fault('E_VALIDATION', `Invalid memory "${WORK_KEY}" of task ${id}.`, {
    hint: `Set it to a JSON object with fields of a work item except ${[...RESERVED_FIELDS].join(', ')}: {"agent_id":"agent-1","test_command":"npm test"}.`,
    details: { field: WORK_KEY, id },
  });
}

function unconfirmed(id: string, writer: string, value: string): Fault {
  return new Fault(
    'E_HUMAN_REQUIRED',
    `The work settings of task ${id} were written by ${writer} and are not a directive, so an agent may have changed them.`,
    {
      hint: `A person checks and confirms them: ${renderSetting(id, value)}`,
      details: {
        action: 'confirm_work_settings',
        resume: 'deed work run --from-tasks --dry-run',
        field: WORK_KEY,
        id,
        written_by: writer,
        value,
      },
    },
  );
}
