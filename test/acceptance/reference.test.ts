import { afterAll, describe, expect, it } from 'vitest';
import { createHome, deed, type Run } from '../fixtures/run-deed.ts';

const home = createHome();
afterAll(() => home.dispose());
const run = (...argv: string[]): Run => deed(argv, { home: home.path });

const paths = (...argv: string[]): string[] => {
  const { commands } = run('reference', ...argv).envelope.data as { commands: { path: string }[] };
  return commands.map(({ path }) => path);
};

describe('reference', () => {
  it('can be limited to a command or a domain', () => {
    expect(paths('--command', 'config set')).toEqual(['config set']);
    expect(paths('--domain', 'audit')).toEqual([
      'audit list',
      'audit export',
      'audit verify',
      'audit retire',
    ]);
    expect(paths('--domain', 'context')).toEqual(['context']);
  });

  it('contains only the schemas of the selected commands, with --schema as JSON Schema', () => {
    const { data } = run('reference', '--command', 'config unset', '--schema').envelope;
    expect(Object.keys(data.schemas)).toEqual(['config_unset']);
    expect(data.json_schemas['config unset'].input).toMatchObject({
      type: 'object',
      properties: {
        keys: { type: 'array', items: { type: 'string' }, description: 'The settings to unset' },
      },
      required: ['keys'],
      additionalProperties: false,
    });
    expect(run('reference', '--command', 'config unset').envelope.data.json_schemas).toBeUndefined();
  });

  it('rejects an unknown command or domain with a suggestion', () => {
    expect(run('reference', '--domain', 'confg').envelope.error).toMatchObject({
      code: 'E_NOT_FOUND',
      details: { field: 'domain', suggestion: 'config' },
    });
    expect(run('reference', '--command', 'config sett').envelope.error?.details.suggestion).toBe(
      'config set',
    );
  });

  it('lists for each command only the flags that apply', () => {
    const { commands } = run('reference', '--compact').envelope.data as {
      commands: { path: string; type: string; gate: string; global_flags: string[] }[];
    };
    for (const { path, type, gate, global_flags: flags } of commands) {
      const named = ['--fields', '--dry-run', '--confirm', '--request-id'].map((flag) =>
        flags.includes(flag),
      );
      const gated = gate !== 'exempt';
      expect([path, ...named]).toEqual([
        path,
        ...(type === 'read' ? [true, false, false, false] : [true, true, gated, true]),
      ]);
    }
    // Flags that are not listed are rejected.
    for (const argv of [
      ['context', '--dry-run'],
      ['context', '--confirm', 'ct_x'],
    ])
      expect(run(...argv).envelope.error?.message).toContain('does not apply');
  });

  it('lists batch parameters and marks deprecated aliases', () => {
    const { data } = run('reference', '--command', 'config unset').envelope;
    const [command] = data.commands;
    expect(command).toMatchObject({
      type: 'write',
      gate: 'confirm',
      batch: { targets: 'keys', atomic: false },
    });
    expect(command.params.find(({ name }: { name: string }) => name === 'key')).toMatchObject({
      alias_of: 'keys',
      deprecated: true,
    });
  });
});
