import { join } from 'node:path';
import * as v from 'valibot';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { int, number } from '../../base/schema.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { withLock } from '../../system/lock.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';

const FILE = 'steering.json';
/** More are rejected: every assessment reads all of them. */
export const MAX_ENTRIES = 1000;

function createSchema() {
  const text = v.pipe(v.string(), v.minLength(1));
  return v.object({
    protected: v.array(v.object({ name: text, reason: v.nullable(v.string()), added_at: v.string() })),
    feedback: v.array(
      v.object({
        verdict: v.picklist(['keep', 'gone']),
        pid: int(),
        start_id: v.string(),
        /** The whole command line with secrets masked: later processes with the same one are recognized by it. */
        command: text,
        /** The posterior of the class that the user names, as it was then. */
        posterior: number(),
        at: v.string(),
      }),
    ),
  });
}

/** What users decided about processes: names that are protected in addition to the built-in ones, and verdicts on commands. */
export type Steering = v.InferOutput<ReturnType<typeof createSchema>>;
export type ProtectedEntry = Steering['protected'][number];
export type FeedbackEntry = Steering['feedback'][number];

const EMPTY: Steering = { protected: [], feedback: [] };

/** Reads the decisions of an account. A damaged file is a fault: ignoring it would remove protection. */
export function readSteering(root: string): Steering {
  const path = join(root, FILE);
  const text = readFileIfPresent(path);
  if (text === undefined) return EMPTY;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unusable(path, error);
  }
  const checked = v.safeParse(createSchema(), value);
  if (!checked.success) throw unusable(path);
  return checked.output;
}

/** Changes the decisions under a lock; the change is applied to what is on disk then. */
export async function changeSteering(root: string, change: (current: Steering) => Steering): Promise<void> {
  ensurePrivateFolder(root);
  await withLock(join(root, `${FILE}.lock`), () => {
    const next = change(readSteering(root));
    for (const [list, entries] of Object.entries(next)) if (entries.length > MAX_ENTRIES) throw full(list);
    writeFileDurably(join(root, FILE), `${JSON.stringify(next)}\n`);
  });
}

function full(list: string): Fault {
  return new Fault('E_VALIDATION', `The list "${list}" has ${MAX_ENTRIES} entries, which is the maximum.`, {
    hint: 'Remove some entries; a name that ends in * covers several programs.',
    details: { list, max: MAX_ENTRIES },
  });
}

function unusable(path: string, cause?: unknown): Fault {
  const hint = `Restore ${path} from a backup, or move it away to start without protected names and feedback.`;
  return damaged(path, 'it does not contain protected names and feedback', hint, cause);
}
