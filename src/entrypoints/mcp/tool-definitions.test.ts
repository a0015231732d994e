import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { DEED_COMMANDS } from '../../commands/table.ts';
import { parametersOf } from '../../contract/command-parameters.ts';
import { createTable } from '../../contract/command-table.ts';
import { effectOf } from '../../contract/command.ts';
import { DEED_OFFER } from './deed-offer.ts';

const table = createTable(DEED_COMMANDS);
const TOOLS = DEED_OFFER.tools;

/** The calls that a description lists: `command {parameter, optional?}`. */
function listedCalls(tool: string): { command: string; parameters: string[] }[] {
  const description = TOOLS.find(({ name }) => name === tool)?.description ?? '';
  return [...description.matchAll(/^([a-z][a-z -]*) \{([^}]*)\}/gmu)].map(([, command = '', names = '']) => ({
    command,
    parameters: names.split(', '),
  }));
}

test('all names, descriptions and schemas of the tools fit into 1,000 tokens', () => {
  expect(encode(JSON.stringify(TOOLS)).length).toBeLessThanOrEqual(1000);
});

test('the descriptions list more than ten common calls', () => {
  const reads = listedCalls('call-read').map(({ command }) => command);
  const writes = listedCalls('call-write').map(({ command }) => command);
  expect(reads).toEqual(
    expect.arrayContaining([
      'brief',
      'task next',
      'task list',
      'memory search',
      'memory get',
      'work status',
      'work show',
      'triage plan',
    ]),
  );
  expect(writes).toEqual(
    expect.arrayContaining(['resume', 'task create', 'task begin', 'task complete', 'push', 'memory set']),
  );
});

test.each(['read', 'write'] as const)(
  'every listed %s exists with the parameters as listed',
  async (effect) => {
    for (const { command, parameters } of listedCalls(`call-${effect}`)) {
      const found = await table.load(command);
      expect(effectOf(found)).toBe(effect);
      const actual = new Map(parametersOf(found).map(({ name, required }) => [name, required]));
      for (const listed of parameters)
        expect([listed, actual.get(listed.replace('?', ''))]).toEqual([listed, !listed.endsWith('?')]);
      const named = parameters.map((listed) => listed.replace('?', ''));
      for (const [name, required] of actual) if (required) expect(named).toContain(name);
    }
  },
);

test('the listed writes are journal writes, which need no confirm token', async () => {
  for (const { command } of listedCalls('call-write'))
    expect((await table.load(command)) as { recall?: unknown }).toHaveProperty('recall');
  expect(TOOLS[3]?.description).toMatch(/need no confirm token, by design: they need a request_id/u);
});
