import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeProblems, schemaProblems } from '../fixtures/check-envelope.ts';
import { createHome, deed, type Run } from '../fixtures/run-deed.ts';

interface CommandRow {
  readonly path: string;
  readonly type: 'read' | 'write';
  readonly gate: string;
  readonly streaming?: string;
  readonly errors: string[];
  readonly examples: string[];
  readonly output_schema: string;
  readonly formats: string[];
}

/** A call that must succeed and one that must fail, for every command; the failure names its code. */
const CALLS: Readonly<Record<string, { good: string[]; bad: string[]; code: string }>> = {
  reference: { good: ['--schema'], bad: ['--command', 'nope'], code: 'E_NOT_FOUND' },
  context: { good: [], bad: ['--fields', 'nope'], code: 'E_VALIDATION' },
  doctor: { good: [], bad: ['--nope'], code: 'E_USAGE' },
  changelog: { good: ['--since', '0.0.1'], bad: ['--since', 'x'], code: 'E_VALIDATION' },
  completion: { good: ['bash'], bad: ['tcsh'], code: 'E_VALIDATION' },
  'audit list': { good: ['--limit', '2'], bad: ['--limit', '0'], code: 'E_VALIDATION' },
  'audit export': { good: [], bad: ['--since', 'x'], code: 'E_VALIDATION' },
  'audit verify': { good: [], bad: ['--fields', 'x'], code: 'E_VALIDATION' },
  'config get': { good: ['list.limit'], bad: ['list.limti'], code: 'E_NOT_FOUND' },
  'config list': { good: [], bad: ['--cursor', 'x'], code: 'E_VALIDATION' },
  'config set': { good: ['list.limit', '9'], bad: ['list.limit', 'many'], code: 'E_VALIDATION' },
  'config unset': { good: ['--keys', 'list.limit'], bad: ['--keys', ','], code: 'E_VALIDATION' },
  'config trust': { good: ['.'], bad: ['/nonexistent'], code: 'E_NOT_FOUND' },
  update: { good: ['--target-version', '0.1.0'], bad: ['--target-version', 'x'], code: 'E_VALIDATION' },
};

const reference = deed(['reference', '--schema']).envelope.data as {
  commands: CommandRow[];
  schemas: Record<string, { shape: string; fields: string[]; untrusted_fields: string[] }>;
  json_schemas: Record<string, { input: object; output: object }>;
  release_readiness: Record<string, unknown>;
};

describe('every leaf command', () => {
  let home: ReturnType<typeof createHome>;
  let cwd: string;
  const run = (words: readonly string[]): Run => deed(words, { home: home.path, cwd });
  beforeAll(() => {
    home = createHome();
    cwd = join(home.path, 'project');
    mkdirSync(cwd);
    writeFileSync(join(cwd, '.deed.json'), '{"list.limit": 3}');
  });
  afterAll(() => home.dispose());

  it('has a call that succeeds and one that fails in this suite', () => {
    expect(Object.keys(CALLS)).toEqual(reference.commands.map(({ path }) => path));
  });

  it.each(reference.commands)('$path: succeeds in the form that it describes', (command) => {
    const argv = [...command.path.split(' '), ...(CALLS[command.path]?.good ?? [])];
    if (command.streaming) return expectStream(run(argv), command);
    if (command.gate === 'confirm' || command.gate === 'dangerous') {
      const preview = run([...argv, '--dry-run']);
      expect(envelopeProblems(preview)).toEqual([]);
      expect(Object.keys(preview.envelope.data)).toEqual(['preview', 'confirm_token', 'expires_at']);
      argv.push('--confirm', preview.envelope.data.confirm_token);
    }
    const answer = run(argv);
    expect(envelopeProblems(answer)).toEqual([]);
    expect(answer.envelope.error).toBeUndefined();
    expect(schemaProblems(answer.envelope.data, reference.json_schemas[command.path]?.output ?? {})).toEqual(
      [],
    );
    return undefined;
  });

  it.each(reference.commands)('$path: fails with a code that it declares', (command) => {
    const answer = run([...command.path.split(' '), ...(CALLS[command.path]?.bad ?? [])]);
    const lines = answer.stdout.trim().split('\n');
    const error =
      command.streaming && lines.length > 1 ? JSON.parse(lines[0] ?? '').error : answer.envelope.error;
    if (!command.streaming || lines.length === 1) expect(envelopeProblems(answer)).toEqual([]);
    expect(error.code).toBe(CALLS[command.path]?.code);
    expect(command.errors).toContain(error.code);
  });

  it.each(reference.commands)('$path: has a text form for people', (command) => {
    const argv = [...command.path.split(' '), ...(CALLS[command.path]?.good ?? [])];
    const answer = run([...argv, '--format', 'text', ...(command.gate === 'confirm' ? ['--dry-run'] : [])]);
    expect(answer.code).toBe(0);
    expect(answer.stdout).not.toContain('\u001B');
    expect(answer.stdout.trim()).not.toBe('');
  });

  it.each(reference.commands)('$path: describes its output and shows how to call it', (command) => {
    const schema = reference.schemas[command.output_schema];
    expect(schema?.fields.length).toBeGreaterThan(0);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) expect(example.startsWith(command.path)).toBe(true);
    if (command.gate === 'confirm' || command.gate === 'dangerous') {
      expect(command.examples.some((example) => example.includes('--dry-run'))).toBe(true);
      expect(command.examples.some((example) => example.includes('--confirm'))).toBe(true);
    }
  });

  it('reports how ready the release is, in nine members, and doctor says the same', () => {
    expect(Object.keys(reference.release_readiness)).toEqual([
      'level',
      'fcc_required',
      'fcc_status',
      'mock_upstream_required',
      'mock_upstream_status',
      'live_smoke_required_for_stable',
      'live_smoke_status',
      'reason',
      'required_evidence',
    ]);
    const { checks } = run(['doctor']).envelope.data as {
      checks: { check: string; status: string; message: string }[];
    };
    const check = checks.find(({ check }) => check === 'release_readiness');
    expect(check?.message).toContain(String(reference.release_readiness.level));
    expect(check?.status).toBe(
      { stable: 'pass', beta: 'warn', unpublishable: 'fail' }[String(reference.release_readiness.level)],
    );
  });
});

function expectStream(answer: Run, command: CommandRow): void {
  const lines = answer.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const items = lines.slice(0, -1);
  expect(items.length).toBeGreaterThan(0);
  for (const line of items) {
    expect(Object.keys(line)).toEqual(['ok', 'schema_version', 'type', 'data']);
    expect(schemaProblems(line.data, reference.json_schemas[command.path]?.output ?? {})).toEqual([]);
  }
  expect(lines.at(-1)).toEqual({
    ok: true,
    schema_version: '1.0',
    type: 'summary',
    data: { count: items.length, complete: true },
  });
}
