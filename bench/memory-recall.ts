import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTail, randomHex } from '../src/base/ids.ts';
import { openSqlite } from '../src/continuity/database/sqlite/open-sqlite.ts';
import type { Database } from '../src/continuity/database/database.ts';
import { peek } from '../src/continuity/focus/resume-work.ts';
import { findMemories } from '../src/continuity/memory/search/search-memories.ts';
import { setMemory } from '../src/continuity/memory/write-memory.ts';
import { createScope, type StorePorts } from '../src/continuity/scope.ts';
import { createTask } from '../src/continuity/tasks/write-task.ts';
import type { Report, Row } from './report.ts';

/** One conversation with its notes, and questions with the ids of the notes that answer them. */
interface Conversation {
  readonly sessions: readonly {
    readonly id: string;
    readonly date: string;
    readonly notes: readonly { readonly id: string; readonly text: string }[];
  }[];
  readonly questions: readonly { readonly q: string; readonly evidence: readonly string[] }[];
}

/** The shares of questions whose answer was found. */
interface Recall {
  readonly questions: number;
  readonly first: number;
  readonly firstFive: number;
  readonly meanReciprocalRank: number;
  /** The answer is in a brief of 1,500 tokens if the question is the title of the task. */
  readonly inBrief: number;
  readonly millisecondsPerSearch: number;
}

const FIXTURES = new URL('../test/fixtures/recall/', import.meta.url);
/** What the ranking reaches today, with a small margin: a change must not make it worse. */
const TARGETS = { first: 0.55, firstFive: 0.8, meanReciprocalRank: 0.66, inBrief: 0.86 } as const;

/** Measures how often a memory search and a brief contain the note that answers a question. */
export async function memoryRecall(): Promise<readonly Report[]> {
  const found = await measureRecall(FIXTURES.pathname);
  const row = (name: string, share: number, target: number): Row => ({
    name,
    milliseconds: found.millisecondsPerSearch,
    ratio: 1 - share,
    target: Number((1 - target).toFixed(2)),
  });
  return [
    {
      title: 'Recall of memory search and brief',
      note: `The share of ${found.questions} questions whose answer was not found; the time is that of one search.`,
      rows: [
        row('not the first result', found.first, TARGETS.first),
        row('not among the first five', found.firstFive, TARGETS.firstFive),
        row('1 − mean reciprocal rank', found.meanReciprocalRank, TARGETS.meanReciprocalRank),
        row('not in a brief of 1,500 tokens', found.inBrief, TARGETS.inBrief),
      ],
    },
  ];
}

/** Measures the conversations of a folder. */
async function measureRecall(folder: string): Promise<Recall> {
  const ranks: number[] = [];
  let inBrief = 0;
  let searchMs = 0;
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()) {
    const conversation = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Conversation;
    await withStore(async (database, ports) => {
      await fill(database, ports, conversation);
      const at = new Date(ports.now()).toISOString();
      for (const { q, evidence } of conversation.questions) {
        const before = performance.now();
        const rows = await findMemories(database, { words: q, limit: 10, offset: 0 }, at);
        searchMs += performance.now() - before;
        ranks.push(rows.findIndex(({ key }) => evidence.includes(key)) + 1);
        if (await isInBrief(database, ports, q, evidence)) inBrief += 1;
      }
    });
  }
  const share = (test: (rank: number) => boolean): number => ranks.filter(test).length / ranks.length;
  return {
    questions: ranks.length,
    first: share((rank) => rank === 1),
    firstFive: share((rank) => rank >= 1 && rank <= 5),
    meanReciprocalRank: ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / ranks.length,
    inBrief: inBrief / ranks.length,
    millisecondsPerSearch: searchMs / ranks.length,
  };
}

async function isInBrief(
  database: Database,
  ports: StorePorts,
  question: string,
  evidence: readonly string[],
): Promise<boolean> {
  const id = await database.transaction(async (db) => {
    const task = { title: question, description: '', projectId: 'conversation', priority: 0 };
    return (await createTask(createScope(db, 'bench', ports), task)).row.id;
  });
  const request = {
    agent: 'reader',
    projectId: 'conversation',
    limit: undefined,
    focus: id,
    budgetTokens: 1500,
  };
  const { brief } = await peek(database, request, new Date(ports.now()).toISOString());
  return brief.relevant_memory.some(({ key }) => evidence.includes(key));
}

async function fill(database: Database, ports: StorePorts, { sessions }: Conversation): Promise<void> {
  for (const { date, notes } of sessions) {
    const dated = { ...ports, now: () => Date.parse(date) };
    await database.transaction(async (db) => {
      for (const { id, text } of notes)
        await setMemory(createScope(db, 'writer', dated), {
          scope: 'project',
          scope_id: 'conversation',
          key: id,
          value: text,
          valueType: 'string',
          expiresAt: null,
        });
    });
  }
}

async function withStore(work: (database: Database, ports: StorePorts) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-recall-'));
  const database = openSqlite(join(folder, 'deed.db'));
  const ports = { now: Date.now, randomHex, createTail, describeFile: () => Promise.resolve(undefined) };
  try {
    await work(database, ports);
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}
