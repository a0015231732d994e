import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEED_COMMANDS } from '../../commands/table.ts';
import { locateHome } from '../../contract/home.ts';
import { createTable } from '../../contract/command-table.ts';
import { processSystem } from '../../entrypoints/cli/process-system.ts';
import { readSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { readEvents } from '../../continuity/events/event.ts';
import { readTasks } from '../../continuity/tasks/read-tasks.ts';
import type { StagedRun } from '../../work/journal/staged-journal.ts';
import { commitPromoted, commitStaged } from './commit-staged.ts';
import { deedTool } from '../deed-tool.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-stage-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function contextOf() {
  const system = { ...processSystem(), env: { DEED_HOME: folder } };
  return { system, home: locateHome(deedTool, system), table: createTable(DEED_COMMANDS) };
}

function runOf(word: string, title = 'staged'): StagedRun {
  return {
    runId: 'run_1',
    jobId: 'job_1',
    itemId: 'item',
    agentId: 'agent-1',
    description: 'x',
    root: '/tree',
    timeoutMs: 1000,
    files: [],
    writes: [
      {
        command: 'task create',
        params: { title },
        agent: 'agent-1',
        requestId: null,
        nowMs: Date.UTC(2030, 0, 1),
        drawn: [word],
      },
    ],
  };
}

const read = () =>
  readSqlite(join(folder, 'deed.db'), {}, async (session) => ({
    tasks: (await readTasks(session, { limit: 10 })).map(({ id }) => id),
    kinds: (await readEvents(session, { ascending: true, includeArchived: true, limit: 100 })).map(
      ({ kind }) => kind,
    ),
  }));

const ID = `task_${Date.UTC(2030, 0, 1)}000000_0123456789ab`;

describe('staged writes', () => {
  it('are not in the store if the tree could not be promoted', async () => {
    const context = contextOf();
    await expect(
      commitStaged(context, runOf('0123456789ab'), () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    expect(await read()).toEqual({ tasks: [], kinds: [] });
  });

  it('are in the store once if recovery repeats them', async () => {
    const context = contextOf();
    const promoted = await commitStaged(context, runOf('0123456789ab'), async () => 'promoted');
    await commitPromoted(context, runOf('0123456789ab'));
    await commitPromoted(context, runOf('0123456789ab'));
    expect([promoted, await read()]).toEqual(['promoted', { tasks: [ID], kinds: ['task_created'] }]);
  });

  it('are committed by recovery if the process exited between the tree and the store', async () => {
    await commitPromoted(contextOf(), runOf('0123456789ab'));
    expect(await read()).toEqual({ tasks: [ID], kinds: ['task_created'] });
  });

  it('create the ids that the run saw, or none if the store contains one of them', async () => {
    const context = contextOf();
    await commitStaged(context, runOf('k3m9p'), async () => undefined);
    const [id = ''] = (await read()).tasks;
    expect(id).toMatch(/^task_\w{8}k3m9p$/u);
    await expect(
      commitStaged(context, { ...runOf('k3m9p', 'other'), runId: 'run_2' }, async () => undefined),
    ).rejects.toMatchObject({ code: 'E_CONFLICT', details: { reason: 'stage', write: 1 } });
    expect((await read()).tasks).toEqual([id]);
  });

  it('that the store rejects during recovery are recorded as lost, once, and none of them is applied', async () => {
    const context = contextOf();
    await commitStaged(context, { ...runOf('0123456789ab'), runId: 'run_0' }, async () => undefined);
    const late = runOf('ba9876543210', 'first');
    const both = { ...late, writes: [...late.writes, ...runOf('0123456789ab').writes] };
    for (let times = 0; times < 2; times += 1) await commitPromoted(context, both);
    expect(await read()).toEqual({ tasks: [ID], kinds: ['task_created', 'run_writes_lost'] });
  });
});
