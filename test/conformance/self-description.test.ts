import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHome, deed, ROOT, VERSION } from '../fixtures/run-deed.ts';

interface Block {
  readonly required: string[];
  readonly [member: string]: string[];
}

const contract = JSON.parse(readFileSync(join(ROOT, 'contract/contract.json'), 'utf8')) as {
  self_description: Record<'reference' | 'context' | 'doctor' | 'changelog' | 'update', Block>;
};

const CALLS = {
  reference: ['reference'],
  context: ['context'],
  doctor: ['doctor'],
  changelog: ['changelog'],
  update: ['update', '--target-version', VERSION, '--dry-run'],
} as const;

describe.each(Object.entries(CALLS))('%s', (name, argv) => {
  const home = createHome();
  const { data } = deed(argv, { home: home.path }).envelope as { data: Record<string, unknown> };
  home.dispose();
  const block = contract.self_description[name as keyof typeof CALLS];

  it('has every member that the contract requires', () => {
    expect(Object.keys(data)).toEqual(expect.arrayContaining(block.required));
  });

  it.runIf(name === 'reference')('describes every output with shape, fields and untrusted fields', () => {
    const { schemas } = data as { schemas: Record<string, object> };
    for (const schema of Object.values(schemas)) expect(Object.keys(schema)).toEqual(block.schema_entry);
  });

  it.runIf(name === 'reference')('states how the schema may change', () => {
    expect(data.conventions).toMatchObject({
      compatibility: expect.stringContaining('schema_version') as string,
    });
  });

  it.runIf(name === 'reference')('marks codes that cannot occur as reserved, and no others', () => {
    const { error_codes, commands } = data as {
      error_codes: Record<string, { reserved?: boolean }>;
      commands: { errors: string[] }[];
    };
    const reachable = new Set(commands.flatMap(({ errors }) => errors));
    for (const [code, row] of Object.entries(error_codes))
      expect([code, row.reserved ?? false]).toEqual([code, !reachable.has(code)]);
  });

  it.runIf(name === 'doctor')('has a status for each check and, unless it passed, a fix', () => {
    const { checks } = data as { checks: Record<string, string | null>[] };
    expect(checks.map(({ check }) => check)).toEqual(expect.arrayContaining(block.must_include ?? []));
    for (const check of checks) {
      expect(Object.keys(check)).toEqual(expect.arrayContaining(block.check ?? []));
      expect(block.statuses).toContain(check.status);
      expect(check.fix === null).toBe(check.status === 'pass');
    }
  });
});
