import { define } from '../query.ts';

export const findRequest = define<{ agent: string; request_id: string }>('findRequest')((db, value) =>
  db
    .selectFrom('requests')
    .select(['command', 'payload', 'result'])
    .where('agent_name', '=', value('agent'))
    .where('request_id', '=', value('request_id')),
);

export const insertRequest = define<{
  agent: string;
  request_id: string;
  command: string;
  payload: string;
  result: string;
  at: string;
}>('insertRequest')((db, value) =>
  db.insertInto('requests').values({
    agent_name: value('agent'),
    request_id: value('request_id'),
    command: value('command'),
    payload: value('payload'),
    result: value('result'),
    created_at: value('at'),
  }),
);

export const deleteOldRequests = define<{ since: string; before: string; limit: number }>(
  'deleteOldRequests',
)((db, value) =>
  db
    .deleteFrom('requests')
    .where((eb) =>
      eb(
        eb.refTuple('agent_name', 'request_id'),
        'in',
        eb
          .selectFrom('requests')
          .select(['agent_name', 'request_id'])
          .where('created_at', '>=', value('since'))
          .where('created_at', '<', value('before'))
          .limit(value('limit'))
          .$asTuple('agent_name', 'request_id'),
      ),
    ),
);

export const countRequests = define('countRequests')((db) =>
  db.selectFrom('requests').select((eb) => eb.fn.countAll<number>().as('total')),
);
