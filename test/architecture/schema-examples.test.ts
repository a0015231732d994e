import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { ROOT } from '../../scripts/build-constants.ts';
import { BLOCKS } from '../fixtures/docs/blocks.ts';
import { examplesOf, type ExampleKind } from '../fixtures/docs/examples.ts';

const ajv = new Ajv2020({ strict: false });
const examples = BLOCKS.flatMap(examplesOf);

interface Schema {
  readonly $id: string;
}

function readSchema(kind: ExampleKind): Schema {
  return JSON.parse(readFileSync(join(ROOT, `schemas/${kind}.schema.json`), 'utf8')) as Schema;
}

function problemsOf(value: unknown, schema: Schema): readonly unknown[] {
  const check = ajv.getSchema(schema.$id) ?? ajv.compile(schema);
  return check(value) ? [] : (check.errors ?? []);
}

describe.each<[ExampleKind, number]>([
  ['plan', 6],
  ['work-agents', 4],
  ['ai-agent', 4],
  ['prompt-file', 8],
])('every example of the format %s', (kind, atLeast) => {
  const own = examples.filter((example) => example.kind === kind);
  const schema = readSchema(kind);

  it('is found', () => {
    expect(own.length).toBeGreaterThanOrEqual(atLeast);
  });

  it.each(own.map(({ at, text }) => [at, text]))('names its schema and matches it: %s', (_at, text) => {
    expect(text).toContain(schema.$id);
    const head = kind === 'prompt-file' ? (text.split(/^---$/mu)[1] ?? '') : text;
    expect(problemsOf(parseYaml(head), schema)).toEqual([]);
  });
});

describe('every part of a file in docs/agent-runtime.md', () => {
  const parts = BLOCKS.filter(
    ({ page, text }) => page === 'docs/agent-runtime.md' && /^(?:\w+:|\{ "mcp)/u.test(text),
  );

  it.each(parts.map(({ text }) => [text]))('matches the schema of the file: %s', (text) => {
    expect(
      problemsOf(parseYaml(text), readSchema(text.startsWith('{') ? 'ai-agent' : 'prompt-file')),
    ).toEqual([]);
  });

  it('is found', () => {
    expect(parts).toHaveLength(5);
  });
});
