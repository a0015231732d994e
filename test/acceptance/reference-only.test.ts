import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, deed, type Envelope } from '../fixtures/run-deed.ts';

/**
 * A caller that knows only the output of `reference`: this test contains no command, flag, code or field name besides those of the
 * envelope itself. It selects commands by effect, gate and type.
 */
interface Parameter {
  readonly name: string;
  readonly flag: string;
  readonly type: string;
  readonly required: boolean;
  readonly multiple: boolean;
  readonly allowed?: string[];
}

interface Row {
  readonly path: string;
  readonly type: 'read' | 'write';
  readonly gate: string;
  readonly batch?: { readonly targets: string };
  readonly params: Parameter[];
  readonly examples: string[];
}

interface Reference {
  readonly commands: Row[];
  readonly conventions: { readonly write_flow: { readonly steps: string[] } };
  readonly error_codes: Record<string, { exit: number; retryable: boolean }>;
}

describe('a program that knows only the reference', () => {
  let home: ReturnType<typeof createHome>;
  let reference: Reference;
  beforeAll(() => {
    home = createHome();
    reference = call(['reference']).data as Reference;
  });
  afterAll(() => home.dispose());

  function call(argv: readonly string[]): Envelope {
    return deed(argv, { home: home.path }).envelope;
  }

  /** Follows the documented write flow: the flags of its two steps come from the reference. */
  function write(argv: readonly string[]): { preview: Envelope; result: Envelope } {
    const [first = '', second = ''] = reference.conventions.write_flow.steps;
    const flagOf = (step: string): string => step.split(' ').find((word) => word.startsWith('--')) ?? '';
    const tokenName = /<(\w+)>\s*$/u.exec(second)?.[1] ?? '';
    const preview = call([...argv, flagOf(first)]);
    return { preview, result: call([...argv, flagOf(second), String(preview.data?.[tokenName])]) };
  }

  function argvOf(row: Row, values: Readonly<Record<string, string>>): string[] {
    return [
      ...row.path.split(' '),
      ...row.params.flatMap(({ name, flag }) => (name in values ? [flag, values[name] ?? ''] : [])),
    ];
  }

  /** The example of a command, without the flags of the write flow. */
  function example(row: Row): string[] {
    const words = row.examples.find((text) => text.includes('--dry-run'))?.split(' ') ?? [];
    return words.filter((word) => word !== '--dry-run');
  }

  it('completes a write, and reads the result back', () => {
    const row = reference.commands.find(({ type, gate, batch, params }) => {
      return (
        type === 'write' &&
        gate === 'confirm' &&
        !batch &&
        params.filter(({ required }) => required).length === 2
      );
    });
    const { preview, result } = write(example(row as Row));
    const [change] = preview.data.preview.changes;
    expect(result.ok).toBe(true);
    const [noun] = (row as Row).path.split(' ');
    const reader = reference.commands.find(({ path, type, params }) => {
      return (
        path.startsWith(`${noun} `) &&
        type === 'read' &&
        params.filter(({ required }) => required).length === 1
      );
    }) as Row;
    const key = reader.params.find(({ required }) => required);
    const read = call(argvOf(reader, { [key?.name ?? '']: change.id }));
    expect(read.data.value).toEqual(change.after.value);
  });

  it('completes a batch, item by item', () => {
    const row = reference.commands.find(({ batch }) => batch !== undefined) as Row;
    const targets = row.params.find(({ name }) => name === row.batch?.targets) as Parameter;
    const example = row.examples[0] ?? '';
    const names = example.split(' ')[example.split(' ').indexOf(targets.flag) + 1] ?? '';
    const { preview, result } = write([...row.path.split(' '), targets.flag, names]);
    expect(preview.data.preview.targets).toEqual(names.split(','));
    expect(result.data.items.map(({ target }: { target: string }) => target)).toEqual(names.split(','));
    expect(result.data.summary.total).toBe(names.split(',').length);
  });

  it('corrects an invalid call with the details of the error', () => {
    const row = reference.commands.find(({ params }) => params.some(({ allowed }) => allowed)) as Row;
    const parameter = row.params.find(({ allowed }) => allowed) as Parameter;
    const wrong = call(argvOf(row, { [parameter.name]: 'wrong' }));
    expect(wrong.ok).toBe(false);
    expect(reference.error_codes[wrong.error?.code ?? '']?.retryable).toBe(false);
    expect(wrong.error?.details.field).toBe(parameter.name);
    const corrected = call(argvOf(row, { [parameter.name]: wrong.error?.details.allowed[0] }));
    expect(corrected.ok).toBe(true);
  });

  it('corrects a typo in a command with the suggestion', () => {
    const path = reference.commands.find((row) => row.params.every(({ required }) => !required))?.path ?? '';
    const wrong = call([`${path.slice(0, 2)}${path.slice(3)}`]);
    expect(wrong.error?.details.suggestion).toBe(path);
    expect(call([wrong.error?.details.suggestion]).ok).toBe(true);
  });
});
