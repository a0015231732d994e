import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STANDALONE_ENTRIES } from '../../scripts/build-standalone.ts';
import { bundle } from '../../scripts/bundle.ts';
import { createHome, deed, executable, ROOT, TARGET } from '../fixtures/run-deed.ts';

/** The only packages that every call may load; anything else belongs behind an `import()` where it is used. */
const START_PACKAGES = ['@noble/hashes'];
/** What every call reads from disk. Raise it knowingly: a start takes about a millisecond longer for each 30 kB. */
const MAX_START_BYTES = 120_000;

const ORDINARY = [
  ['context'],
  ['context', '--format', 'text'],
  ['config', 'list', '--fields', 'key'],
  ['config', 'set', 'list.limit', '7', '--dry-run'],
  ['audit', 'list', '--limit', '1'],
  ['audit', 'export'],
  ['no-such-command'],
];

function packagesOf(modules: readonly string[]): string[] {
  const names = modules.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function commandsOf(modules: readonly string[]): string[] {
  return modules.filter((path) => path.startsWith('src/commands/')).sort();
}

describe.runIf(TARGET === 'bundle')('a start under Node', () => {
  let modulesOf: Record<string, string[]>;
  let folder = '';
  let home: ReturnType<typeof createHome>;
  beforeAll(() => {
    // Written by the build: which modules went into which file.
    modulesOf = JSON.parse(readFileSync(join(ROOT, 'dist/modules.json'), 'utf8')) as typeof modulesOf;
    folder = mkdtempSync(join(tmpdir(), 'deed-start-'));
    home = createHome();
    const report = JSON.stringify(join(folder, 'loaded.json'));
    writeFileSync(
      join(folder, 'preload.cjs'),
      `process.on('exit', () => require('node:fs').writeFileSync(${report},
        JSON.stringify({ files: Object.keys(require.cache), builtins: process.moduleLoadList })));`,
    );
    writeFileSync(join(folder, 'empty.cjs'), '');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    home.dispose();
  });

  /** Runs a command and tells what was really loaded for it. */
  const load = (argv: readonly string[], script?: string, name: 'deed' | 'ai-agent' = 'deed') => {
    const [node, bin] = executable(name);
    deed(argv, {
      home: home.path,
      executable: [node, '--require', join(folder, 'preload.cjs'), script ?? bin ?? ''],
    });
    const { files, builtins } = JSON.parse(readFileSync(join(folder, 'loaded.json'), 'utf8')) as {
      files: string[];
      builtins: string[];
    };
    const ours = files.filter((file) => basename(file) in modulesOf);
    return { files: ours, builtins, modules: ours.flatMap((file) => modulesOf[basename(file)] ?? []) };
  };

  it.each(ORDINARY.map((argv) => [argv.join(' '), argv] as const))(
    'of an ordinary command loads no heavy library: %s',
    (_line, argv) => {
      const { modules } = load(argv);
      expect(packagesOf(modules)).toEqual(START_PACKAGES);
      expect(modules.filter((path) => /^src\/entrypoints\/(?!cli\/)/u.test(path))).toEqual([]);
    },
  );

  it('loads more only to tell of all commands', () => {
    expect(packagesOf(load(['--help']).modules)).toEqual([...START_PACKAGES, 'zod']);
  });

  it.each([
    ['shows a schema', ['reference', '--schema']],
    ['has to say what is wrong with a value', ['audit', 'list', '--limit', '0']],
  ])('would show what is loaded late: zod, by a call that %s', (_what, argv) => {
    expect(packagesOf(load(argv).modules)).toContain('zod');
  });

  it.each([['--version'], ['--help']])('of ai-agent loads no SDK for %s', (flag) => {
    const { modules } = load([flag], undefined, 'ai-agent');
    expect(packagesOf(modules)).toEqual(START_PACKAGES);
    expect(modules.filter((path) => path.startsWith('src/agent/'))).toEqual([]);
  });

  it('of ai-agent would show an SDK: it is loaded when a model is asked', () => {
    const config = join(folder, 'agent.json');
    const provider = { type: 'openai', apiKey: 'none', baseUrl: 'http://127.0.0.1:1/v1', mode: 'chat' };
    writeFileSync(
      config,
      JSON.stringify({ providers: { p: provider }, defaults: { maxTurns: 1, maxRetries: 1 } }),
    );
    const { modules } = load(['a', 'b', '--models', 'p/m', '--config', config], undefined, 'ai-agent');
    expect(packagesOf(modules)).toContain('@ai-sdk/openai');
  });

  it('loads the one command that is called', () => {
    expect(commandsOf(load(['context']).modules)).toEqual([
      'src/commands/command-settings.ts',
      'src/commands/context.ts',
      'src/commands/table.ts',
    ]);
  });

  it('loads no command to tell the version', () => {
    expect(commandsOf(load(['--version']).modules)).toEqual(['src/commands/table.ts']);
  });

  it('reads few bytes', () => {
    const { files } = load(['--version']);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes).toBeLessThan(MAX_START_BYTES);
  });

  it('loads none of the large modules that Node has built in', () => {
    const bare = new Set(load([], join(folder, 'empty.cjs')).builtins);
    const added = load(['context']).builtins.filter((name) => !bare.has(name));
    expect(added.filter((name) => name.startsWith('NativeModule')).sort()).toEqual([
      'NativeModule internal/abort_controller',
      'NativeModule internal/source_map/source_map',
      'NativeModule module',
      'NativeModule os',
    ]);
  });
});

const AT_FIRST_CALL = new Set([
  'every',
  'filter',
  'find',
  'findIndex',
  'findLast',
  'flatMap',
  'forEach',
  'fromEntries',
  'map',
  'reduce',
  'some',
]);

/** A compiled executable cannot be watched from inside, so this looks at what its entry imports before it can run. */
describe.runIf(TARGET === 'standalone')('a start of the standalone executable', () => {
  let home: ReturnType<typeof createHome>;
  beforeAll(() => {
    home = createHome();
  });
  afterAll(() => home.dispose());

  it.each(['deed', 'vybe'])('as %s loads no heavy library and no command', async (head) => {
    const folder = mkdtempSync(join(tmpdir(), 'deed-start-'));
    const chunks = await bundle({
      entries: STANDALONE_ENTRIES,
      folder,
      format: 'esm',
      define: { __DEED_STANDALONE__: 'true' },
    });
    rmSync(folder, { recursive: true });
    const loaded = new Set(['deed.js', `${head}-head.js`]);
    for (const name of loaded) {
      for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) loaded.add(next);
    }
    const started = chunks.filter(({ fileName }) => loaded.has(fileName));
    const modules = started.flatMap(({ moduleIds }) => moduleIds.map((id) => id.slice(ROOT.length)));
    expect(packagesOf(modules)).toEqual([]);
    expect(commandsOf(modules)).toEqual(['src/commands/table.ts']);
    const builtins = started.flatMap(({ imports }) => imports.filter((name) => name.startsWith('node:')));
    expect([...new Set(builtins)].sort()).toEqual(['node:fs', 'node:os', 'node:path']);
  });

  const compiled = (argv: readonly string[]): number => {
    const { stderr } = deed(argv, { env: { BUN_JSC_reportCompileTimes: '1' } });
    return stderr.split('\n').filter((line) => line.startsWith('Optimized')).length;
  };

  it('compiles nothing for a short call', () => {
    expect(compiled(['context'])).toBe(0);
  });

  it('would show what is compiled: a list of every command', () => {
    expect(compiled(['reference'])).toBeGreaterThan(10);
  });

  /** The functions of the runtime that a call had compiled, of those that programs like to use. Our own come compiled. */
  const brought = (argv: readonly string[]): string[] => {
    const [vybe] = executable('vybe');
    const { stdout, stderr } = spawnSync(vybe, argv, {
      env: { PATH: process.env.PATH, HOME: home.path, BUN_JSC_dumpGeneratedBytecodes: '1' },
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    const names = `${stdout}${stderr}`.matchAll(/^(\w+)#\w+:\[0x.*instructions/gmu);
    return [...new Set([...names].map(([, name]) => name ?? ''))].filter((name) => AT_FIRST_CALL.has(name));
  };
  const push = (id: string): string[] => {
    const json = '{"event":{"kind":"progress","message":"m"}}';
    return brought(['push', '--agent', 'a', '--request-id', id, '--json', json]);
  };

  it('has none of the functions compiled that the runtime compiles at their first call', () => {
    // The first one makes the home and the store.
    push('first');
    expect(push('second')).toEqual([]);
  });

  it('would show such functions: those of a list', () => {
    expect(brought(['task', 'list'])).toContain('map');
  });
});
