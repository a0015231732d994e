import { describe, expect, it } from 'vitest';
import { sha256 } from '../../system/digest.ts';
import { hashItem } from './hash-item.ts';
import { checkItem } from './check-item.ts';
import { parsePlan } from './parse-plan.ts';
import { renderGraph } from './render-graph.ts';
import { resolveDependencies } from './resolve-dependencies.ts';
import { treePath, type WorkItem } from './work-item.ts';

const MINIMAL = { id: 'a', agent_id: 'agent-1', description: 'do it' };
const node = (id: string, dependencies: string[] = [], agent_id = 'agent-1') => ({
  id,
  agent_id,
  dependencies,
});

describe('a work item', () => {
  it('gets the defaults of the contract', () => {
    expect(checkItem(MINIMAL)).toEqual({
      ...MINIMAL,
      dependencies: [],
      constraints: { max_files: 10, max_tool_ops: 50, max_delta_size: 100, timeout_ms: 300_000 },
      budget: { time_estimate_ms: 300_000, complexity: 'medium' },
    });
  });

  it('can set one limit and keep the defaults of the others', () => {
    expect(checkItem({ ...MINIMAL, constraints: { max_files: 1 } }).constraints).toEqual({
      max_files: 1,
      max_tool_ops: 50,
      max_delta_size: 100,
      timeout_ms: 300_000,
    });
  });

  it.each([
    ['a string instead of an object', 'text', 'must be object'],
    ['null instead of an object', null, 'must be object'],
    ['no id', { agent_id: 'x', description: 'x' }, 'id is missing'],
    ['an id that is a path', { ...MINIMAL, id: '../x' }, 'id: must be letters'],
    ['an unknown member', { ...MINIMAL, extra: 1 }, 'unknown member "extra"'],
    ['an unknown limit', { ...MINIMAL, constraints: { max: 1 } }, 'constraints has the unknown member "max"'],
    ['a negative limit', { ...MINIMAL, constraints: { max_files: -1 } }, 'constraints.max_files'],
    ['a fractional limit', { ...MINIMAL, constraints: { max_files: 1.5 } }, 'constraints.max_files'],
    ['a timeout of zero', { ...MINIMAL, constraints: { timeout_ms: 0 } }, 'constraints.timeout_ms'],
    [
      'an unknown complexity',
      { ...MINIMAL, budget: { time_estimate_ms: 1, complexity: 'odd' } },
      'budget.complexity',
    ],
    ['a file outside the tree', { ...MINIMAL, input_files: ['../x'] }, 'inside the repository'],
    ['a path with parent folders', { ...MINIMAL, output_files: ['a/../../x'] }, 'inside the repository'],
    ['a path in .git', { ...MINIMAL, output_files: ['.git/config'] }, 'inside the repository'],
    ['a NUL in the text', { ...MINIMAL, description: 'a\u0000b' }, 'without NUL'],
    ['an empty description', { ...MINIMAL, description: '' }, 'description'],
  ])('with %s is rejected with the field', (_, value, problem) => {
    expect(() => checkItem(value)).toThrow(problem);
  });

  it('has paths relative to the root of the repository', () => {
    expect(['/docs/x.md', 'docs//x.md', './docs/x.md', '//docs/x.md', 'docs/x.md/'].map(treePath)).toEqual(
      Array.from({ length: 5 }, () => 'docs/x.md'),
    );
  });

  it('has the same hash for any key order and explicit defaults', () => {
    const full = checkItem({ description: 'do it', agent_id: 'agent-1', dependencies: [], id: 'a' });
    expect(hashItem(full)).toBe(hashItem(checkItem(MINIMAL)));
    expect(hashItem(checkItem({ ...MINIMAL, description: 'other' }))).not.toBe(hashItem(full));
  });

  it('has the hash of version 0.1.0 if it has none of the later members', () => {
    const text =
      '{"agent_id":"a","budget":{"complexity":"medium","time_estimate_ms":300000},"constraints":{"max_delta_size":100,"max_files":10,"max_tool_ops":50,"timeout_ms":300000},"dependencies":[],"description":"d","id":"i"}';
    const item = checkItem({ id: 'i', agent_id: 'a', description: 'd' });
    expect(hashItem(item)).toBe(sha256(text));
    expect(hashItem(checkItem({ ...item, retries: 1 }))).not.toBe(hashItem(item));
  });
});

describe('a plan', () => {
  it('is one item or an array, as JSON or YAML', async () => {
    const yaml = '- id: a\n  agent_id: agent-1\n  description: do it\n';
    const found = await Promise.all(
      [JSON.stringify(MINIMAL), JSON.stringify([MINIMAL]), yaml].map((text) => parsePlan(text)),
    );
    for (const items of found) expect(items).toEqual([checkItem(MINIMAL)]);
  });

  it('may start with a byte order mark, and merge the members of an anchor', async () => {
    const text =
      '\uFEFF- &base { id: a, agent_id: agent-1, description: do it }\r\n- { <<: *base, id: b }\r\n';
    expect(await parsePlan(text)).toEqual([checkItem(MINIMAL), checkItem({ ...MINIMAL, id: 'b' })]);
  });

  it.each(['- id: a\n  description: Fix: it\n', '- { id: a, agent_id: b, description: Fix it, please }'])(
    'with a text that needs quotes is explained: %j',
    async (text) => {
      await expect(parsePlan(text)).rejects.toMatchObject({ hint: expect.stringContaining('needs quotes') });
    },
  );

  it('with a member around its items is explained', async () => {
    await expect(parsePlan('items:\n  - { id: a, agent_id: b, description: c }\n')).rejects.toMatchObject({
      hint: expect.stringContaining('write them without "items" around them'),
    });
  });

  it.each([
    ['neither JSON nor YAML', '{"a": [', 'neither JSON nor YAML at line 1'],
    ['a duplicate key', 'id: a\nid: b\n', 'neither JSON nor YAML at line 2'],
    ['an unknown tag', '!!js/function x', 'neither JSON nor YAML'],
    ['no item', '[]', 'no work item'],
    ['an empty file', '# nothing\n', 'no work item'],
    ['a wrong merge', '- { <<: 1, id: b }', 'cannot be read'],
    ['a duplicate id', JSON.stringify([MINIMAL, MINIMAL]), 'Two work items have the id "a"'],
    [
      'an invalid second item',
      JSON.stringify([MINIMAL, { ...MINIMAL, id: 'b', agent_id: 7 }]),
      'Invalid work item "b": agent_id',
    ],
  ])('with %s is rejected', async (_, text, problem) => {
    await expect(parsePlan(text)).rejects.toThrow(problem);
  });

  it('with too many aliases is rejected', async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e'].map((name, i) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcd'[i]}`).join(',')}]`).join('\n')}\n`;
    await expect(parsePlan(bomb)).rejects.toThrow('aliases');
  });
});

describe('the levels of a plan', () => {
  it('are sorted by id and match the contract', () => {
    const items = [
      node('five', ['two'], 'agent-5'),
      node('end', [], 'agent-0'),
      node('one'),
      node('two'),
      node('three'),
      node('four', ['one', 'three']),
    ];
    expect(resolveDependencies(items).map((level) => level.map(({ id }) => id))).toEqual([
      ['one', 'three', 'two'],
      ['five', 'four'],
      ['end'],
    ]);
  });

  it('reject an unknown dependency with a suggestion', () => {
    expect(() => resolveDependencies([node('build'), node('test', ['biuld'])])).toThrow(
      expect.objectContaining({
        code: 'E_VALIDATION',
        message: '"test" depends on "biuld", which is not in the plan.',
        hint: 'Did you mean build? Nothing was run.',
      }),
    );
  });

  it.each([
    ['itself', [node('a', ['a'])], 'a → a'],
    [
      'a cycle of three',
      [node('a', ['b']), node('b', ['c']), node('c', ['a']), node('d', ['a'])],
      'a → b → c → a',
    ],
    ['a dependency on the reconciler', [node('a', ['end']), node('end', [], 'agent-0')], 'a → end → a'],
  ])('reject a cycle with its path: %s', (_, items, path) => {
    expect(() => resolveDependencies(items)).toThrow(`cycle: ${path}.`);
  });

  it('support a thousand items in a row', () => {
    const items = Array.from({ length: 1000 }, (_, i) => node(`n${i}`, i === 0 ? [] : [`n${i - 1}`]));
    expect(resolveDependencies(items).length).toBe(1000);
  });
});

describe('the graph of a plan', () => {
  const nodes: Pick<WorkItem, 'id' | 'agent_id' | 'dependencies'>[] = [
    node('a'),
    node('b.c', ['a']),
    node('end', [], 'agent-0'),
  ];

  it('is rendered as text', async () => {
    expect(await renderGraph(nodes, 'text')).toBe(
      'Level 0\n  a (agent-1)\nLevel 1\n  b.c (agent-1) ← a\nLevel 2\n  end (agent-0) ← a, b.c\n',
    );
  });

  it('is rendered as a Mermaid flowchart', async () => {
    expect(await renderGraph([{ ...node('a'), status: 'success' }, node('b', ['a'])], 'mermaid')).toBe(
      [
        'flowchart LR',
        '  subgraph level0 [Level 0]',
        '    n0["a<br/>agent-1 · success"]',
        '  end',
        '  subgraph level1 [Level 1]',
        '    n1["b<br/>agent-1"]',
        '  end',
        '  n0 --> n1',
        '',
      ].join('\n'),
    );
  });

  it('is rendered as SVG with escaped text', async () => {
    const svg = await renderGraph([node('a', [], '<b&"'), node('b', ['a'])], 'svg');
    expect(svg).toContain('&lt;b&amp;&quot;');
    expect(svg.match(/<rect /gu)).toHaveLength(2);
    expect(svg.match(/<path d="M210 /gu)).toHaveLength(1);
  });
});
