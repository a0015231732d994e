import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { define } from '../query.ts';
import type { Tables } from '../schema.ts';

function belongsToNoOpenTask(eb: ExpressionBuilder<Tables, 'events'>): Expression<SqlBool> {
  const open = eb.selectFrom('tasks').select('tasks.id').where('tasks.status', '<>', 'completed');
  return eb.or([eb('task_id', 'is', null), eb('task_id', 'not in', open)]);
}

interface OldEvents {
  readonly since: string;
  readonly before: string;
  readonly limit: number;
}

/** Archived events that were created in this period, oldest first. The newest event is kept, because its id must not be used again, and so are events of open tasks. */
export const listOldEvents = define<OldEvents>('listOldEvents')((db, value) =>
  db
    .selectFrom('events')
    .select('id')
    .where('archived_at', 'is not', null)
    .where('created_at', '>=', value('since'))
    .where('created_at', '<', value('before'))
    .where('id', '<', (eb) =>
      eb.selectFrom('events as newest').select(({ fn }) => fn.max('newest.id').as('id')),
    )
    .where(belongsToNoOpenTask)
    .orderBy('id')
    .limit(value('limit')),
);

interface DeletableEvents {
  readonly since: string;
  readonly before: string;
  /** The last archived event. */
  readonly after: number;
  readonly archive_before: string;
}

/** Counts the events of this period that are archived, or that a cleanup will archive first. The cleanup appends an event, so the newest event of now is not kept. */
export const countDeletableEvents = define<DeletableEvents>('countDeletableEvents')((db, value) =>
  db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('created_at', '>=', value('since'))
    .where('created_at', '<', value('before'))
    .where((eb) =>
      eb.or([
        eb('archived_at', 'is not', null),
        eb.and([eb('id', '>', value('after')), eb('created_at', '<', value('archive_before'))]),
      ]),
    )
    .where(belongsToNoOpenTask),
);

export const deleteEvent = define<{ id: number }>('deleteEvent')((db, value) =>
  db.deleteFrom('events').where('id', '=', value('id')),
);

interface OldVersions {
  readonly keep: number;
  readonly since: string;
  readonly forgotten_before: string;
  readonly limit: number;
}

/**
 * Superseded memories that are not pinned: those before the newest `keep` versions of their key, and all versions of a key that was
 * deleted before a time.
 */
export const listOldVersions = define<OldVersions>('listOldVersions')((db, value) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('memories')
        .select(({ fn }) => [
          'memories.id',
          'memories.superseded_at',
          'memories.updated_at',
          'memories.pinned',
          fn
            .agg<number>('row_number')
            .over((over) =>
              over
                .partitionBy(['memories.scope', 'memories.scope_id', 'memories.key'])
                .orderBy('memories.id', 'desc'),
            )
            .as('age'),
          fn
            .count<number>('memories.superseded_at')
            .over((over) => over.partitionBy(['memories.scope', 'memories.scope_id', 'memories.key']))
            .as('superseded'),
          fn
            .countAll<number>()
            .over((over) => over.partitionBy(['memories.scope', 'memories.scope_id', 'memories.key']))
            .as('versions'),
        ])
        .as('version'),
    )
    .select('version.id')
    .where('version.superseded_at', 'is not', null)
    .where('version.pinned', '=', 0)
    .where('version.updated_at', '>=', value('since'))
    .where((eb) =>
      eb.or([
        eb('version.age', '>', value('keep')),
        eb.and([
          eb('version.superseded', '=', eb.ref('version.versions')),
          eb('version.superseded_at', '<', value('forgotten_before')),
        ]),
      ]),
    )
    .orderBy('version.id')
    .limit(value('limit')),
);

/** Counts the stored answers that were created in a period. */
export const countOldRequests = define<{ since: string; before: string }>('countOldRequests')((db, value) =>
  db
    .selectFrom('requests')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('created_at', '>=', value('since'))
    .where('created_at', '<', value('before')),
);
