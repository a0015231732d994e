import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deed, ROOT } from '../fixtures/run-deed.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';
import { rowsOf } from '../fixtures/start-node.ts';

/** An evaluated prompt of the Skill, with the calls that an agent should make. */
interface Evaluated {
  readonly request: string;
  readonly calls: readonly string[];
}

const read = (name: string): string => readFileSync(join(ROOT, 'skills/deed', name), 'utf8');
/** The Skill itself and the pages that it links; the list of commands is generated. */
const pages = readdirSync(join(ROOT, 'skills/deed')).filter(
  (name) => name.endsWith('.md') && name !== 'commands.md',
);
const skill = pages.map(read).join('\n');
const { evals } = JSON.parse(read('evals.json')) as { evals: Evaluated[] };
const reference = deed(['reference', '--compact']).envelope.data as {
  commands: { path: string; params: { flag: string }[]; global_flags: string[] }[];
};

describe('the Skill', () => {
  it('links every page', () => {
    for (const page of [...pages, 'commands.md', 'evals.json'].filter((name) => name !== 'SKILL.md'))
      expect(read('SKILL.md')).toContain(`](${page})`);
  });

  it('describes every part', () => {
    for (const domain of ['task', 'work', 'receipt', 'agent', 'triage', 'update', 'reference', 'doctor'])
      expect(skill).toMatch(new RegExp(`\\b${domain}\\b`, 'u'));
  });

  it('contains only existing commands and flags', () => {
    const named = [...skill.matchAll(/`deed ([a-z][^`]*)`/gu)].map(([, words = '']) => words);
    expect(named.length).toBeGreaterThan(20);
    for (const words of named) {
      const command = reference.commands
        .filter(({ path }) => `${words} `.startsWith(`${path} `))
        .toSorted((a, b) => b.path.length - a.path.length)[0];
      expect(command, words).toBeDefined();
      const known = [...(command?.params.map(({ flag }) => flag) ?? []), ...(command?.global_flags ?? [])];
      for (const [flag] of words.matchAll(/--[a-z-]+/gu))
        expect([words, known]).toEqual([words, expect.arrayContaining([flag])]);
    }
  });
});

describe('the evaluated prompts', () => {
  let bench: WorkBench;
  /** Values of earlier responses, for the placeholders in braces. */
  const known: Record<string, string> = {};
  beforeAll(() => {
    bench = createBench();
    const write = (name: string, value: unknown): void =>
      writeFileSync(join(bench.tree, name), typeof value === 'string' ? value : JSON.stringify(value));
    write('plan.json', [item('tea', 'echo tea > menu.txt', { test_command: 'test -e menu.txt' })]);
    write('agent.json', { providers: { recorded: { type: 'script', file: 'responses.json' } } });
    write('responses.json', { steps: [{ report: 'Nothing.' }] });
    write('ask.ai', '---\nmodels: recorded/any\n---\nYou answer.\n');
  });
  afterAll(() => bench.dispose());

  it.each(rowsOf(evals, 5))('$request', ({ calls }) => {
    for (const call of calls) {
      const { envelope, code } = bench.deed(splitCommand(call).map((word) => fill(word, known)));
      expect([call, code, envelope.error]).toEqual([call, 0, undefined]);
      remember(envelope.data, known);
    }
  });
});

/** Splits a command line like a shell, but supports only double quotes. */
function splitCommand(call: string): string[] {
  const words = [...call.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  expect(words[0]).toBe('deed');
  return words.slice(1);
}

function fill(word: string, known: Readonly<Record<string, string>>): string {
  return word.replaceAll(/\{(\w+)\}/gu, (_, name: string) => known[name] ?? `no ${name}`);
}

function remember(data: unknown, known: Record<string, string>): void {
  if (typeof data !== 'object' || data === null) return;
  for (const [name, value] of Object.entries(data)) {
    if (['confirm_token', 'session_id', 'run_id'].includes(name) && typeof value === 'string')
      known[name] = value;
    if (name === 'task' && typeof value?.id === 'string') known.task = value.id;
    else if (name === 'results' || name === 'items') remember((value as unknown[])[0], known);
  }
}
