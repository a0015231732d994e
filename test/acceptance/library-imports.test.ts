import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage, type InstalledPackage } from '../fixtures/installed-package.ts';
import { ROOT } from '../fixtures/run-deed.ts';

/** The limit for the size of the npm package deed-cli, which was 2.2 MB when this was set. */
const MAX_PACKED_BYTES = 3_000_000;
const MAX_TYPE_FILES = 200;
/** The limits for the code that an import reads from disk. */
const MAX_IMPORT_BYTES = {
  contract: 200_000,
  conformance: 30_000,
  agent: 575_000,
  work: 340_000,
  triage: 270_000,
};
const LIBRARIES = Object.entries(MAX_IMPORT_BYTES);
/** Packages that a library loads on use, never at import. */
const HEAVY =
  /^(?:@ai-sdk\/.*|ai|@openrouter\/.*|@modelcontextprotocol\/.*|gpt-tokenizer|@sigstore\/.*|kysely|koffi)$/u;

interface Import {
  readonly files: readonly string[];
  readonly calls: readonly string[];
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  readonly stderr: string;
}

describe('the npm package deed-cli', () => {
  let project: InstalledPackage;
  beforeAll(async () => {
    project = await installPackage();
  });
  afterAll(() => project.dispose());

  const imports = new Map<string, Import>();
  /** Imports a library in a new process, once for all tests. */
  const load = (name: string): Import => {
    const loaded = imports.get(name) ?? importInProcess(name);
    imports.set(name, loaded);
    return loaded;
  };
  const importInProcess = (name: string): Import => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(ROOT, 'test/fixtures/processes/import-library.ts'), `deed-cli/${name}`],
      { cwd: project.path, env: { PATH: process.env.PATH, HOME: '/nonexistent' }, encoding: 'utf8' },
    );
    expect(status, stderr).toBe(0);
    return { ...(JSON.parse(stdout) as Omit<Import, 'stderr'>), stderr };
  };
  const packagesOf = (files: readonly string[]): string[] => {
    const modulesOf = JSON.parse(readFileSync(join(ROOT, 'dist/library-modules.json'), 'utf8')) as Record<
      string,
      string[]
    >;
    const lib = join(project.path, 'node_modules/deed-cli/dist/lib');
    const modules = files.flatMap((file) => modulesOf[relative(lib, file)] ?? [file]);
    const names = modules.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(path)?.[1] ?? []);
    return [...new Set(names)].sort();
  };

  it('stays below 3 MB when packed, with all of its content', () => {
    const packed = readdirSync(join(project.path, 'node_modules/deed-cli/dist'));
    expect(packed.sort()).toEqual(['bin', 'launcher', 'lib', 'types']);
    expect(project.packedBytes).toBeLessThan(MAX_PACKED_BYTES);
  });

  it.each(LIBRARIES)('loads only little code when deed-cli/%s is imported', (name, maxBytes) => {
    const { files } = load(name);
    const own = files.filter((file) => file.includes('/node_modules/deed-cli/dist/lib/'));
    expect(own.length).toBeGreaterThan(0);
    expect(own.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThan(maxBytes);
    expect(packagesOf(files).filter((each) => HEAVY.test(each))).toEqual([]);
  });

  it('contains the heavy packages in the chunks that an import does not load', () => {
    const shared = join(project.path, 'node_modules/deed-cli/dist/lib/shared');
    const all = readdirSync(shared).map((file) => join(shared, file));
    expect(packagesOf(all).filter((each) => HEAVY.test(each))).toEqual(
      expect.arrayContaining(['@ai-sdk/openai', 'gpt-tokenizer', '@modelcontextprotocol/client']),
    );
  });

  it('loads only the kernel when deed-cli/contract is imported, and no other package', () => {
    const modules = JSON.parse(readFileSync(join(ROOT, 'dist/library-modules.json'), 'utf8')) as Record<
      string,
      string[]
    >;
    const lib = join(project.path, 'node_modules/deed-cli/dist/lib');
    const { files } = load('contract');
    expect(files.filter((file) => !file.startsWith(lib))).toEqual([]);
    const loaded = files.flatMap((file) => modules[relative(lib, file)] ?? []);
    expect(loaded).toContain('src/contract/execute.ts');
    expect(loaded.filter((path) => /^src\/(?:agent|continuity|triage|work|release)\//u.test(path))).toEqual(
      [],
    );
  });

  it.each(LIBRARIES)('has no side effects when deed-cli/%s is imported', (name) => {
    const { calls, before, after, stderr } = load(name);
    expect({ calls, stderr }).toEqual({ calls: [], stderr: '' });
    expect(after).toEqual(before);
  });

  it('contains few declaration files, which import only installed dependencies', () => {
    const types = join(project.path, 'node_modules/deed-cli/dist/types');
    const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    expect(files.length).toBeLessThan(MAX_TYPE_FILES);
    const imported = files.flatMap((file) =>
      [...readFileSync(join(types, file), 'utf8').matchAll(/\b(?:from|import\()\s*'([^'.][^']*)'/gu)].map(
        ([, name = '']) => /^(?:node:.*|(?:@[^/]+\/)?[^/]+)/u.exec(name)?.[0] ?? name,
      ),
    );
    const foreign = [...new Set(imported)].filter((name) => !name.startsWith('node:'));
    expect(foreign.filter((name) => !project.dependencies.includes(name))).toEqual([]);
  });
});
