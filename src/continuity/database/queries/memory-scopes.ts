import { define } from '../query.ts';

/** The scopes that have current memories, most recently changed first; the scope of a task has its title. */
export const listMemoryScopes = define<{ at: string; limit: number }>('listMemoryScopes')((db, value) =>
  db
    .selectFrom('memories')
    .leftJoin('tasks', (join) =>
      join.onRef('tasks.id', '=', 'memories.scope_id').on('memories.scope', '=', 'task'),
    )
    .select(['memories.scope', 'memories.scope_id', 'tasks.title'])
    .select((eb) => [
      eb.fn.countAll<number>().as('memories'),
      eb.fn.max('memories.updated_at').as('changed_at'),
    ])
    .where('memories.superseded_at', 'is', null)
    .where((eb) =>
      eb.or([eb('memories.expires_at', 'is', null), eb('memories.expires_at', '>', value('at'))]),
    )
    .groupBy(['memories.scope', 'memories.scope_id', 'tasks.title'])
    .orderBy('changed_at', 'desc')
    .orderBy('memories.scope')
    .orderBy('memories.scope_id')
    .limit(value('limit')),
);
