import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledOnce, type ExecutableBundle } from '../fixtures/executable-bundle.ts';
import { createHome, deed, ROOT } from '../fixtures/run-deed.ts';

/** What every call may read. Each additional 30 kB delay a start by about a millisecond. */
const MAX_START_BYTES = 142_000;
/** What a push may read. */
const MAX_PUSH_BYTES = 275_000;

/** The tables of commands, which load commands on demand. */
const COMMAND_TABLES = ['src/commands/standard-commands.ts', 'src/commands/table.ts'];
/** The only packages that every call may load; anything else belongs behind an `import()` where it is used. */
const START_PACKAGES = ['valibot'];

const ORDINARY = [
  ['context'],
  ['context', '--format', 'text'],
  ['config', 'list', '--fields', 'key'],
  ['config', 'set', 'list.limit', '7', '--dry-run'],
  ['audit', 'list', '--limit', '1'],
  ['audit', 'export'],
  ['no-such-command'],
];

/** Calls that read or write the store: a query that is not compiled beforehand would load the query builder. */
const STORE_CALLS = [
  ['push', '--agent', 'a', '--request-id', 'r1', '--json', '{"event":{"kind":"progress","message":"m"}}'],
  ['resume', '--agent', 'a', '--request-id', 'r2'],
  ['task', 'list'],
];

interface Load {
  readonly files: readonly string[];
  readonly modules: readonly string[];
}

/** The loads of a compiled executable cannot be observed, so the tests run its chunks on the same runtime. */
describe('a start', () => {
  let folder = '';
  let bundle: ExecutableBundle;
  let home: ReturnType<typeof createHome>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'deed-start-'));
    home = createHome();
    bundle = await bundledOnce();
    writeFileSync(
      join(folder, 'record-loads.ts'),
      `import { appendFileSync, readFileSync } from 'node:fs';
      Bun.plugin({ name: 'record', setup: (build) => build.onLoad({ filter: /chunks\\/.*\\.js$/u }, ({ path }) => {
        appendFileSync(${JSON.stringify(join(folder, 'loaded'))}, path + '\\n');
        return { contents: readFileSync(path, 'utf8'), loader: 'js' };
      }) });`,
    );
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    home.dispose();
  });

  /** Runs a command and lists the loaded chunks and modules. */
  const load = (argv: readonly string[], program = 'deed'): Load => {
    const key = [program, ...argv].join(' ');
    const known = loads.get(key);
    if (known !== undefined) return known;
    const found = runAndRecord(argv, program);
    loads.set(key, found);
    return found;
  };
  const loads = new Map<string, Load>();
  const runAndRecord = (argv: readonly string[], program: string): Load => {
    const [bun, preload] = [join(ROOT, 'node_modules/.bin/bun'), join(folder, 'record-loads.ts')];
    const record = join(folder, 'loaded');
    rmSync(record, { force: true });
    deed(argv, {
      home: home.path,
      cwd: folder,
      env: { DEED_RUN_AS: program },
      executable: [bun, '--preload', preload, join(bundle.folder, 'deed.js')],
    });
    const files = readFileSync(record, 'utf8').trim().split('\n');
    const modules = files.flatMap(
      (file) => bundle.chunks.find(({ fileName }) => fileName === basename(file))?.moduleIds ?? [],
    );
    return { files, modules: modules.map((id) => id.slice(ROOT.length)) };
  };

  /** Makes a call twice with different request ids, and returns what the second call loads. */
  const runAgain = (argv: readonly string[], program: string): Load => {
    load(argv, program);
    return load(
      argv.map((word) => (word === 'r1' ? 'r1-again' : word)),
      program,
    );
  };

  it.each(ORDINARY.map((argv) => [argv.join(' '), argv] as const))(
    'of an ordinary command loads only the schema library: %s',
    (_line, argv) => {
      const { modules } = load(argv);
      expect(packagesOf(modules)).toEqual(START_PACKAGES);
      expect(modules.filter((path) => /^src\/entrypoints\/(?!cli\/)/u.test(path))).toEqual([]);
    },
  );

  it.each(STORE_CALLS.map((argv) => [argv[0], argv] as const))(
    'of vybe loads only the schema library for a call on the store: %s',
    (_name, argv) => {
      const { modules } = load(argv, 'vybe');
      expect(modules).toContain('src/continuity/database/sqlite/open-sqlite.ts');
      expect(packagesOf(modules)).toEqual(START_PACKAGES);
    },
  );

  it('loads the converter to JSON Schema only for a call that shows a schema', () => {
    const { modules } = load(['reference', '--schema']);
    expect(packagesOf(modules)).toContain('@valibot/to-json-schema');
    expect(packagesOf(load(['reference']).modules)).not.toContain('@valibot/to-json-schema');
  });

  it.each([['--version'], ['--help']])('of ai-agent loads no SDK for %s', (flag) => {
    const { modules } = load([flag], 'ai-agent');
    expect(packagesOf(modules)).toEqual(START_PACKAGES);
    expect(modules.filter((path) => path.startsWith('src/agent/'))).toEqual([]);
  });

  it('of ai-agent loads an SDK when a model is called', () => {
    const config = join(folder, 'agent.json');
    const provider = { type: 'openai', apiKey: 'none', baseUrl: 'http://127.0.0.1:1/v1', mode: 'chat' };
    writeFileSync(
      config,
      JSON.stringify({ providers: { p: provider }, defaults: { maxTurns: 1, maxRetries: 1 } }),
    );
    const { modules } = load(['a', 'b', '--models', 'p/m', '--config', config], 'ai-agent');
    expect(packagesOf(modules)).toContain('@ai-sdk/openai');
    expect(packagesOf(modules).filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
  });

  it('loads only the called command', () => {
    expect(commandsOf(load(['context']).modules)).toEqual(['src/commands/context.ts', ...COMMAND_TABLES]);
  });

  it.each(['deed', 'vybe'])('of %s loads no command for --version', (program) => {
    expect(commandsOf(load(['--version'], program).modules)).toEqual(COMMAND_TABLES);
  });

  it.each([
    ['142 kB for --version', 'deed', ['--version'], MAX_START_BYTES],
    ['275 kB for a push', 'vybe', STORE_CALLS[0] ?? [], MAX_PUSH_BYTES],
  ] as const)('reads less than %s', (_name, program, argv, limit) => {
    // The first write of a day copies the store.
    const { files } = argv[0] === 'push' ? runAgain(argv, program) : load(argv, program);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes).toBeLessThan(limit);
  });

  it('is not slowed down by the tables of the tokenizers: they are texts, which are parsed when they are used', () => {
    const tables = bundle.chunks.filter(({ moduleIds }) => moduleIds.some((id) => id.includes('/bpeRanks/')));
    const texts = tables.map(({ fileName }) => readFileSync(join(bundle.folder, fileName), 'utf8'));
    expect(texts.map((text) => /=JSON\.parse\(.\["!",/u.test(text))).toEqual([true, true]);
  });

  it('loads only small built-in modules', () => {
    const loaded = new Set(load(['context']).files.map((file) => basename(file)));
    const imported = bundle.chunks
      .filter(({ fileName }) => loaded.has(fileName))
      .flatMap(({ imports }) => imports.filter((name) => name.startsWith('node:')));
    expect([...new Set(imported)].sort()).toEqual(['node:fs', 'node:os', 'node:path']);
  });
});

function packagesOf(modules: readonly string[]): string[] {
  const names = modules.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function commandsOf(modules: readonly string[]): string[] {
  return modules.filter((path) => path.startsWith('src/commands/')).sort();
}
