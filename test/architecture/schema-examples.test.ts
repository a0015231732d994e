import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { ROOT } from '../../scripts/build-constants.ts';
import { readSources } from './source-files.ts';

type Kind = 'plan' | 'work-agents' | 'ai-agent' | 'prompt-file';

interface Example {
  readonly kind: Kind;
  readonly at: string;
  readonly text: string;
}

const ajv = new Ajv2020({ strict: false });

const FILE_LANGUAGES = new Set(['', 'json', 'yaml']);

/** The files in the examples of a page: fenced blocks, and what a shell block writes with a here-document. */
function filesOf(source: string): readonly { readonly text: string; readonly line: number }[] {
  const fences = [...source.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gmu)];
  return fences.flatMap(({ 1: language = '', 2: block = '', index }) => {
    const line = source.slice(0, index).split('\n').length;
    const written = [...block.matchAll(/<<'?(\w+)'?[^\n]*\n([\s\S]*?)^\1$/gmu)].map(
      ([, , text = '']) => text,
    );
    const texts = FILE_LANGUAGES.has(language) ? [block] : written;
    return texts.map((text) => ({ text, line }));
  });
}

function kindOf(text: string): Kind | undefined {
  if (/^(?:#![^\n]*\n)?---\n(?:\$schema|description|models):/u.test(text)) return 'prompt-file';
  if (/^[- {]*agent_id:|\bagent_id: /mu.test(text)) return 'plan';
  if (!text.startsWith('{')) return undefined;
  if (/"providers":|"restTools":/u.test(text)) return 'ai-agent';
  return /"kind": "(?:command|claude|codex|builtin)"/u.test(text) ? 'work-agents' : undefined;
}

const pages = [
  ...readSources('docs', /\.md$/u),
  ...readSources('skills', /\.md$/u),
  { path: 'README.md', text: readFileSync(join(ROOT, 'README.md'), 'utf8') },
];
const examples: readonly Example[] = pages.flatMap(({ path, text: source }) =>
  filesOf(source).flatMap(({ text, line }) => {
    const kind = kindOf(text);
    return kind === undefined ? [] : [{ kind, at: `${path}:${line}`, text }];
  }),
);

describe.each<[Kind, number]>([
  ['plan', 6],
  ['work-agents', 4],
  ['ai-agent', 4],
  ['prompt-file', 8],
])('every example of the format %s', (kind, atLeast) => {
  const own = examples.filter((example) => example.kind === kind);
  const schema = JSON.parse(readFileSync(join(ROOT, `schemas/${kind}.schema.json`), 'utf8')) as {
    readonly $id: string;
  };

  it('is found', () => {
    expect(own.length).toBeGreaterThanOrEqual(atLeast);
  });

  it.each(own.map(({ at, text }) => [at, text]))('names its schema and matches it: %s', (_at, text) => {
    expect(text).toContain(schema.$id);
    const check = ajv.getSchema(schema.$id) ?? ajv.compile(schema);
    const head = kind === 'prompt-file' ? (text.split(/^---$/mu)[1] ?? '') : text;
    expect([check(parseYaml(head)), check.errors]).toEqual([true, null]);
  });
});
