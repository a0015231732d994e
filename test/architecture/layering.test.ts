import { describe, expect, it } from 'vitest';
import { parseImports, readSources, type SourceFile } from './source-files.ts';

/** Which layers a layer may import; every layer must be listed. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  system: ['base'],
  contract: ['base', 'system'],
  agent: ['base', 'system'],
  config: ['base', 'system'],
  continuity: ['base', 'system'],
  release: ['base', 'system'],
  triage: ['base', 'system'],
  work: ['base', 'system'],
  app: ['base', 'system', 'agent', 'contract', 'config', 'continuity', 'release', 'triage', 'work'],
  commands: ['base', 'agent', 'contract', 'config', 'continuity', 'release', 'triage', 'work', 'app'],
  dialects: ['base', 'contract'],
  entrypoints: ['base', 'system', 'contract', 'app', 'commands', 'dialects'],
  bin: ['system', 'entrypoints', 'dialects'],
  conformance: ['contract'],
  'index.ts': ['base', 'contract', 'entrypoints'],
  'work-library.ts': ['base', 'contract', 'work', 'app', 'entrypoints'],
};

const sources = readSources('src').filter(({ path }) => !path.endsWith('.test.ts'));
const layerOf = (path: string): string => path.split('/')[1] ?? '';

function forbidden(file: SourceFile, mayImport = MAY_IMPORT): string[] {
  const layer = layerOf(file.path);
  const top = file.path.split('/')[0];
  return file.imports.flatMap(({ target }) => {
    if (target === undefined) return [];
    const isBelow = layerOf(target) === layer || mayImport[layer]?.includes(layerOf(target)) === true;
    if (isBelow && target.split('/')[0] === top) return [];
    return [`${file.path} imports ${target}`];
  });
}

const EXPORTED =
  /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|interface|type|enum) +(\w+)/gmu;

/** The Fault of base with a stricter type, for users of the library. */
const SAME_FAULT = 'src/contract/public-fault.ts';

/** The names that several layers export, with their files. A re-export of what another file declares does not count. */
function sharedNames(files: readonly Pick<SourceFile, 'path' | 'text'>[]): string[] {
  const exported = files
    .filter(({ path }) => path !== SAME_FAULT)
    .flatMap(({ path, text }) => [...text.matchAll(EXPORTED)].map(([, name = '']) => ({ name, path })));
  return [...Map.groupBy(exported, ({ name }) => name)]
    .filter(([, found]) => new Set(found.map(({ path }) => layerOf(path))).size > 1)
    .map(([name, found]) => `${name}: ${found.map(({ path }) => path).join(', ')}`);
}

function matching(pattern: RegExp, allowed: RegExp): string[] {
  return sources
    .filter(({ path, text }) => !allowed.test(path) && pattern.test(stripComments(text)))
    .map(({ path }) => path);
}

function stripComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//gu, '').replaceAll(/(^|\s)\/\/[^\n]*/gu, '');
}

/** Where SQL may be written by hand. */
const IN_DATABASE = /^src\/continuity\/database\/(?:sqlite|postgres)\//u;

/** Words that are specific to SQLite anywhere, and handwritten SQL. */
/** The name of a command contains "vacuum" in lower case. */
const ONLY_SQLITE =
  /\browid\b|last_insert_rowid|sqlite_|\bfts5\b|\bbm25\b|\bjson_(?:each|tree|extract)\b|\bstrftime\b|\bjulianday\b|\bgroup_concat\b|\bunixepoch\b|datetime\('now'|\bPRAGMA\b|(?-i:\bVACUUM\b)|\binsert or (?:ignore|replace|abort|fail|rollback)\b|\bbegin immediate\b|sql`|sql</iu;

/** Kysely expressions that are specific to SQLite; outside queries these are ordinary words. */
const ONLY_SQLITE_QUERY =
  /, '(?:match|glob)'|\('(?:datetime|ifnull|iif|instr|printf)'|\bmemory_search\b|\bMATCH\b|\bGLOB\b|\.or(?:Ignore|Replace|Abort|Fail|Rollback)\(|\breplaceInto\(/u;

/** The only file of continuity that knows which databases there are. */
const OPENS_STORES = 'src/continuity/database/open-store.ts';

/** Files that are stores, such as backups, are SQLite, so other layers may use them as such; nothing but the port may use Postgres. */
function isForeignDatabase(path: string, target: string): boolean {
  const database = /^src\/continuity\/database\/(?:sqlite|postgres)\//u.exec(target)?.[0];
  if (database === undefined || path.startsWith(database)) return false;
  return path.startsWith('src/continuity/') || database.includes('postgres');
}

/** Only the code that opens a store may depend on a database. */
function databaseImports(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('src/') && path !== OPENS_STORES)
    .flatMap(({ path, imports }) =>
      imports.flatMap(({ target }) =>
        target !== undefined && isForeignDatabase(path, target) ? [`${path} imports ${target}`] : [],
      ),
    );
}

/** The layers of the web pages, which run in a browser; `main.tsx` joins them. */
const WEB_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  parts: ['base'],
  pages: ['base', 'parts'],
  'main.tsx': ['base', 'parts', 'pages'],
};
const WEB_PACKAGES = /^(?:preact(?:\/hooks)?|@preact\/signals|diff)$/u;
const pages = readSources('web', /\.tsx?$/u).filter(({ path }) => !path.endsWith('.test.ts'));

describe('the web pages', () => {
  it('import only from layers below, and nothing of the program', () => {
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap((file) => forbidden(file, WEB_MAY_IMPORT))).toEqual([]);
  });

  it('use only these packages', () => {
    const imported = pages.flatMap(({ imports }) => imports.filter(({ target }) => target === undefined));
    expect(imported.map(({ specifier }) => specifier).filter((name) => !WEB_PACKAGES.test(name))).toEqual([]);
  });

  it('never turn text into HTML or script', () => {
    const risky = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc/u;
    expect(pages.filter(({ text }) => risky.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('have no import cycle', () => {
    expect(findCycle(pages)).toEqual([]);
  });
});

describe('the layers', () => {
  it('are the ones listed here', () => {
    expect(
      [...new Set(sources.map(({ path }) => layerOf(path)))].filter((layer) => !(layer in MAY_IMPORT)),
    ).toEqual([]);
  });

  it('import only from layers below', () => {
    expect(sources.flatMap((file) => forbidden(file))).toEqual([]);
  });

  it('detects a forbidden import', () => {
    const path = 'src/base/bad.ts';
    const text = "import { x } from '../contract/execute.ts';\n";
    expect(forbidden({ path, text, lines: 1, imports: parseImports(text, path) })).toEqual([
      'src/base/bad.ts imports src/contract/execute.ts',
    ]);
  });

  it('have no import cycle, including types and lazily loaded modules', () => {
    expect(findCycle(sources)).toEqual([]);
  });

  it('detects a cycle of types', () => {
    const file = (path: string, text: string): SourceFile => ({
      path,
      text,
      lines: 1,
      imports: parseImports(text, path),
    });
    expect(
      findCycle([
        file('src/base/a.ts', "import type { B } from './b.ts';\n"),
        file('src/base/b.ts', "const a = await import('./a.ts');\n"),
      ]),
    ).toEqual(['src/base/a.ts', 'src/base/b.ts', 'src/base/a.ts']);
  });

  it('export no name that another layer exports with another meaning', () => {
    expect(sharedNames(sources)).toEqual([]);
  });

  it('detects a name that two layers export', () => {
    expect(
      sharedNames([
        { path: 'src/agent/a.ts', text: "export { Part } from './part.ts';\nexport const readParts = 1;\n" },
        { path: 'src/work/b.ts', text: 'export async function readParts() {}\nexport type Part = string;\n' },
        { path: 'src/work/fleet/c.ts', text: 'export interface Part {}\n' },
      ]),
    ).toEqual(['readParts: src/agent/a.ts, src/work/b.ts']);
  });

  it('access the process only in entrypoints, bin and system', () => {
    expect(matching(/\bprocess\.[a-z]/u, /^src\/(?:entrypoints|bin|system|triage)\//u)).toEqual([]);
    // In triage `process` is often a record; the runtime's own has members that such records do not have.
    const runtime =
      /\bprocess\.(?:env|argv0?|exit|exitCode|cwd|chdir|kill|std(?:in|out|err)|hrtime|on|once|off|emit|platform|arch|versions?|get[ae]?uid|geteuid|getgid|uptime|memoryUsage|nextTick|umask|title|execPath)\b/u;
    expect(matching(runtime, /^src\/(?:entrypoints|bin|system)\//u)).toEqual([]);
  });

  it('start programs in one place, and in bin, which starts the executable', () => {
    expect(
      matching(
        /(?:import \{.*\} from |getBuiltinModule\()'node:child_process'/u,
        /^src\/(?:system\/start-child\.ts$|bin\/)/u,
      ),
    ).toEqual([
      // The kit waits for each call of the program that it checks.
      'src/conformance/run-program.ts',
      // The source of a plugin that runs in another program.
      'src/continuity/hooks/opencode-plugin.ts',
      // Runs `id` in a synchronous getter.
      'src/system/account.ts',
    ]);
  });

  it('send signals only from system, and from the launcher to the executable', () => {
    expect(matching(/process\.kill\(|\.kill\(/u, /^src\/(?:system\/|bin\/launcher\.ts$)/u)).toEqual([]);
  });

  it('read /proc only in triage, and to identify processes, anchor folders, list what a sandbox must hide, and check that the executable can start', () => {
    expect(
      matching(
        /['"`]\/proc\//u,
        /^src\/(?:bin\/launcher|system\/(?:process-(?:identity|tree)|find-lock-holder|machine-clock|anchored-folder|unix-sockets|kernel-controls|machine-mounts))\.ts$/u,
      ),
    ).toEqual([]);
  });

  it('run git only in the workspaces of work', () => {
    expect(matching(/(?:spawn|runCommand|runGit)\(\s*\[?'git'/u, /^src\/work\/workspace\//u)).toEqual([]);
  });

  it('import no schema library except valibot, and the zod converter for commands written with zod/mini', () => {
    const others = /(?:from|import\() ?'(?:zod|arktype|ajv-|@sinclair\/typebox|yup|joi)\b/u;
    expect(matching(others, /^src\/contract\/zod-mini\.ts$/u)).toEqual([]);
  });

  it('validate JSON objects, records and numbers with our own schemas: those of valibot are too lenient', () => {
    expect(matching(/\bv\.(?:strictObject|record|number)\(/u, /^src\/base\/schema\.ts$/u)).toEqual([]);
  });

  it('have SQL and its compiler only in the database folder of continuity', () => {
    expect(
      matching(
        /from 'kysely'|node:sqlite|\b(?:SELECT .+ FROM|INSERT INTO|DELETE FROM|PRAGMA|BEGIN IMMEDIATE)\b/u,
        /^src\/continuity\/database\//u,
      ),
    ).toEqual([]);
  });

  it('have SQLite-specific SQL in one folder only', () => {
    expect(matching(ONLY_SQLITE, IN_DATABASE)).toEqual([]);
    const notInPortableQueries = /^src\/(?!continuity\/database\/(?!(?:sqlite|postgres)\/))/u;
    expect(matching(ONLY_SQLITE_QUERY, notInPortableQueries)).toEqual([]);
  });

  it.each([
    ".where('rowid', '=', value('id'))",
    ".innerJoin('memory_search', 'memory_search.rowid', 'memories.id')",
    "'WITHOUT ROWID'",
    ".selectFrom('sqlite_master')",
    "'USING fts5 (key)'",
    "eb.fn('bm25', ['x'])",
    "'PRAGMA user_version'",
    "'VACUUM INTO ?'",
    'sql<boolean>`memory_search MATCH ${words}`',
    "eb.fn('json_each', ['metadata'])",
    "eb.fn('strftime', ['created_at'])",
    "eb.fn('group_concat', ['title'])",
    "eb.fn('last_insert_rowid')",
    "'INSERT OR IGNORE INTO tasks'",
    "'BEGIN IMMEDIATE'",
  ])('detects SQL that is specific to SQLite: %s', (text) => {
    expect(text).toMatch(ONLY_SQLITE);
  });

  it.each([
    "eb('title', 'match', value('words'))",
    "eb('title', 'glob' as never, 'x*')",
    "eb.fn('datetime', [eb.val('now')])",
    "db.insertInto('tasks').orIgnore()",
    "db.replaceInto('tasks')",
    "eb.fn('ifnull', ['a', 'b'])",
    ".values({ memory_search: 'rebuild' })",
  ])('detects a query that is specific to SQLite: %s', (text) => {
    expect(text).toMatch(ONLY_SQLITE_QUERY);
  });

  it('let continuity access its database only through its port', () => {
    expect(databaseImports(sources)).toEqual([]);
    const path = 'src/continuity/memory/bad.ts';
    const text = "import { x } from '../database/sqlite/sqlite-full-text.ts';\n";
    expect(databaseImports([{ path, text, lines: 1, imports: parseImports(text, path) }])).toEqual([
      'src/continuity/memory/bad.ts imports src/continuity/database/sqlite/sqlite-full-text.ts',
    ]);
    expect(isForeignDatabase('src/app/bad.ts', 'src/continuity/database/postgres/statements.ts')).toBe(true);
  });

  it('turn faults into replies only in execute and at the listed boundaries', () => {
    expect(
      matching(
        /kind: 'fault'/u,
        /^src\/(?:contract\/(?:execute|reply)|entrypoints\/(?:cli\/main|mcp\/call-tool)|dialects\/(?:deed|vybe)\/)/u,
      ),
    ).toEqual([]);
  });

  it('write output only in entrypoints and bin', () => {
    expect(matching(/writeSync\(\s*[12]\b|console\./u, /^src\/(?:entrypoints|bin)\//u)).toEqual([]);
  });

  it('have no barrels: only public files re-export', () => {
    const isPublic = /^src\/(?:index|conformance\/index|agent\/index|triage\/triage|work-library)\.ts$/u;
    expect(matching(/(?:^|\n)export (?:\*|\{[^}]*\}) from/u, isPublic)).toEqual([]);
  });
});

/** Depth-first search over imports of every kind, including types. */
function findCycle(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]),
  );
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const next of edges.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle.length > 0) return cycle;
    }
    done.add(path);
    return [];
  };
  for (const path of edges.keys()) {
    const cycle = visit(path, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
