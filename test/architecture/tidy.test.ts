import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/build-constants.ts';
import { completeLock, type Lock } from '../../scripts/complete-lock.ts';
import { ERROR_CODES } from '../../src/contract/generated.ts';
import { readSources } from './source-files.ts';

const sources = readSources('src');
const tests = readSources('test');
const pages = readSources('web', /\.tsx?$/u).filter(({ path }) => path !== 'web/base/commands.ts');
const product = [...sources, ...pages].filter(
  ({ path }) => !path.endsWith('.test.ts') && !path.endsWith('generated.ts'),
);

describe('the source', () => {
  it('has at most 250 lines per file', () => {
    expect(product.filter(({ lines }) => lines > 250).map(({ path, lines }) => `${path}: ${lines}`)).toEqual(
      [],
    );
  });

  it('is linted for functions of more than 70 lines or 5 parameters', () => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'));
    const body = Array.from({ length: 70 }, (_, index) => `  await step(${index});`).join('\n');
    writeFileSync(
      join(folder, 'bad.ts'),
      `export async function bad(a: 1, b: 1, c: 1, d: 1, e: 1, f: 1) {\n${body}\n}\n`,
    );
    const { stdout } = spawnSync(
      join(ROOT, 'node_modules/.bin/oxlint'),
      ['-c', join(ROOT, '.oxlintrc.json'), '--format', 'unix', folder],
      { encoding: 'utf8' },
    );
    rmSync(folder, { recursive: true });
    expect(stdout).toContain("Function 'bad' has too many parameters (6). Maximum allowed is 5.");
    expect(stdout).toMatch(/`bad` has too many lines \(72\)\. Maximum allowed is 70\./u);
  }, 60_000);

  it('disables these limits in no file', () => {
    const off = product.filter(({ text }) =>
      /(?:oxlint|eslint)-disable[^\n]*max-(?:params|lines)/u.test(text),
    );
    expect(off.map(({ path }) => path)).toEqual([]);
  });

  it('names files in kebab-case, optionally with a version, and never utils, helpers, common or types', () => {
    const bad = [...sources, ...pages, ...tests].filter(({ path }) => {
      const name = path.split('/').at(-1) ?? '';
      return (
        !/^[a-z0-9-]+(?:-\d+\.\d+\.\d+)?(?:\.(?:test|config))?\.tsx?$/u.test(name) ||
        /^(?:utils?|helpers?|common|types)\./u.test(name)
      );
    });
    expect(bad.map(({ path }) => path)).toEqual([]);
  });

  it('throws only codes of the contract', () => {
    const thrown = product.flatMap(({ path, text }) =>
      [...text.matchAll(/'(E_[A-Z0-9_]+)'/gu)]
        .filter(([, code]) => !(String(code) in ERROR_CODES))
        .map(([, code]) => `${path}: ${code}`),
    );
    expect(thrown).toEqual([]);
  });

  it('reads tables by text without what every object inherits', () => {
    const table = /(?<exported>export )?const (?<name>[A-Z][A-Z0-9_]*): (?:Readonly<)?Record<string,/gu;
    const tables = product.flatMap(({ path, text }) =>
      [...text.matchAll(table)].map(({ groups = {} }) => ({ path, ...groups })),
    ) as { path: string; name: string; exported?: string }[];
    expect(tables.length).toBeGreaterThan(20);
    const indexed = product.flatMap(({ path, text, imports }) =>
      tables
        .filter(
          (each) =>
            each.path === path || (each.exported && imports.some(({ target }) => target === each.path)),
        )
        .filter(({ name }) => new RegExp(`\\b${name}\\[[^'"\\]]`, 'u').test(text))
        .map(({ name }) => `${path}: ${name}[…], use ownMember`),
    );
    expect(indexed).toEqual([]);
  });

  it('has no to-do comments and no skipped or exclusive tests', () => {
    // Written so that the pattern does not match itself.
    const marker = /T[O]DO|F[I]XME|\.on[l]y\(|\.to[d]o\(|it\.sk[i]p\(/u;
    expect([...sources, ...tests].filter(({ text }) => marker.test(text)).map(({ path }) => path)).toEqual(
      [],
    );
  });

  it('copies bytes with the constructor, because `Uint8Array.from` takes 30 ms per megabyte in the executable', () => {
    expect(product.filter(({ text }) => text.includes('Uint8Array.from(')).map(({ path }) => path)).toEqual(
      [],
    );
  });

  it('never casts to any', () => {
    expect(
      product
        .filter(({ text }) => /\bas any\b|: any\b|@ts-ignore|@ts-expect-error/u.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});

describe('the docs', () => {
  const architecture = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

  it('name an existing test for every invariant', () => {
    const rows = [...architecture.matchAll(/^\| (?!---|Invariant)(.+?) \| `(.+?)`/gmu)];
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.map(([, , path]) => path ?? '').filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('link only to files that exist', () => {
    const documents = tracked().filter((path) => path.endsWith('.md'));
    const broken = documents.flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/gu)]
        .map(([, link]) => join(path, '..', link ?? ''))
        .filter((target) => !existsSync(join(ROOT, target)))
        .map((target) => `${path} → ${target}`);
    });
    expect(broken).toEqual([]);
  });

  it('keep AGENTS.md under 100 lines', () => {
    expect(readFileSync(join(ROOT, 'AGENTS.md'), 'utf8').split('\n').length).toBeLessThan(100);
  });
});

describe('the repository', () => {
  it('contains no absolute path of a machine', () => {
    // A path after a name or a dot is relative.
    const pattern = /(?<![\w.}])\/(?:wor[k]|roo[t]|User[s])\//u;
    const hits = tracked().filter(
      (path) => !path.endsWith('package-lock.json') && pattern.test(readFileSync(join(ROOT, path), 'latin1')),
    );
    expect(hits).toEqual([]);
  });

  it('locks no download URL, so that it installs from any registry', () => {
    expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "https?:/u);
  });

  it('locks every optional package, so that npm ci works on every platform', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
    expect(completeLock(lock)).toEqual(lock);
  });

  it('locks native packages for both processor families', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, unknown>;
    };
    const names = Object.keys(lock.packages);
    const x64 = names.filter((name) => /linux-x64(?:-gnu)?$/u.test(name));
    const missing = x64.filter((name) => {
      const family = name.replace(/linux-x64(?:-gnu)?$/u, '');
      return !names.some((other) => other.startsWith(family) && /linux-(?:arm64|aarch64)/u.test(other));
    });
    expect(x64.length).toBeGreaterThan(5);
    expect(missing).toEqual([]);
  });
});

function tracked(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((path) => path !== '' && existsSync(join(ROOT, path)));
}
