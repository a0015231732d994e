import { define, defineShapes } from '../query.ts';

export const insertArtifact = define<{
  id: string;
  task_id: string;
  event_id: number;
  file_path: string;
  content_type: string;
  size_bytes: number | null;
  blake3: string | null;
  at: string;
}>('insertArtifact')((db, value) =>
  db.insertInto('artifacts').values({
    id: value('id'),
    task_id: value('task_id'),
    event_id: value('event_id'),
    file_path: value('file_path'),
    content_type: value('content_type'),
    size_bytes: value('size_bytes'),
    blake3: value('blake3'),
    created_at: value('at'),
  }),
);

export const findArtifact = define<{ id: string }>('findArtifact')((db, value) =>
  db.selectFrom('artifacts').select('id').where('id', '=', value('id')),
);

/** The artifacts of a task, newest first. */
export const listArtifacts = defineShapes<
  'after',
  { task_id: string; after_event_id: number; after_id: string; limit: number }
>('listArtifacts')((db, value, has) => {
  let query = db.selectFrom('artifacts').selectAll().where('task_id', '=', value('task_id'));
  if (has('after')) {
    query = query.where((eb) =>
      eb.or([
        eb('event_id', '<', value('after_event_id')),
        eb.and([eb('event_id', '=', value('after_event_id')), eb('id', '<', value('after_id'))]),
      ]),
    );
  }
  return query.orderBy('event_id', 'desc').orderBy('id', 'desc').limit(value('limit'));
});

/** What was recorded with a file. */
export const findArtifactMetadata = define<{ event_id: number }>('findArtifactMetadata')((db, value) =>
  db
    .selectFrom('events')
    .select('metadata')
    .where('id', '=', value('event_id'))
    .where('kind', '=', 'artifact_added'),
);

export const countArtifacts = define('countArtifacts')((db) =>
  db.selectFrom('artifacts').select((eb) => eb.fn.countAll<number>().as('total')),
);
