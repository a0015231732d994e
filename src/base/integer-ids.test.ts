import { expect, test } from 'vitest';
import { idsAsIntegers, idsAsStrings } from './integer-ids.ts';

const STRINGS = {
  old_cursor: '7',
  new_cursor: '9',
  deltas: [
    { id: '8', kind: 'p', agent_name: 'ada', task_id: '12', project_id: '3', metadata: { event_id: '5' } },
    { id: '9', kind: 'p', agent_name: 'ada', task_id: null, metadata: { id: 4 } },
  ],
  memories: [{ id: '2', key: '1', value: '1', scope_id: '6', source_agent: 'ada', event_id: '8' }],
  task: { id: '12', title: 'a task with a numeric id', related: [{ id: '13', kind: 'related' }] },
  status_event_id: '10',
  artifacts: [{ id: '3', artifact_id: '3', event_id: '11' }],
  next_cursor: '1',
  preview: { changes: [{ id: '1', event_id: '2' }] },
  focus_task_id: null,
};

const INTEGERS = {
  ...STRINGS,
  old_cursor: 7,
  new_cursor: 9,
  deltas: [
    { ...STRINGS.deltas[0], id: 8 },
    { ...STRINGS.deltas[1], id: 9 },
  ],
  memories: [{ ...STRINGS.memories[0], id: 2, event_id: 8 }],
  status_event_id: 10,
  artifacts: [{ ...STRINGS.artifacts[0], event_id: 11 }],
};

test('only the ids of events and memories are converted, and never the data of callers', () => {
  expect(idsAsIntegers(STRINGS)).toEqual(INTEGERS);
  expect(idsAsStrings(INTEGERS)).toEqual(STRINGS);
});

test('converting twice changes nothing', () => {
  expect(idsAsIntegers(INTEGERS)).toEqual(INTEGERS);
  expect(idsAsStrings(STRINGS)).toEqual(STRINGS);
});
