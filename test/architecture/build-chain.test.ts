import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findUnverified } from '../../scripts/check-lock.ts';
import { ROOT } from '../../scripts/build-constants.ts';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = join(ROOT, '.github/workflows');
const workflows = readdirSync(FOLDER).map((name): [string, Workflow] => [
  name,
  parse(readFileSync(join(FOLDER, name), 'utf8')) as Workflow,
]);
const release = workflows.find(([name]) => name === 'release.yml')?.[1] as Workflow;
const runsOf = ({ steps }: Job): string[] => steps.flatMap(({ run }) => run ?? []);

describe('the lock file', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Parameters<typeof findUnverified>[0];
  };

  it('has an integrity for every package that any platform fetches', () => {
    expect(Object.keys(lock.packages).length).toBeGreaterThan(100);
    expect(findUnverified(lock.packages)).toEqual([]);
  });

  it('has neither packages inside another one nor links, which could not have one', () => {
    const exempt = Object.entries(lock.packages).filter(([, { link, inBundle }]) => link ?? inBundle);
    expect(exempt).toEqual([]);
  });

  it('is checked by a function that finds a package without one, or with a weak one', () => {
    const packages = {
      '': {},
      'node_modules/a': { version: '1' },
      'node_modules/b': { version: '1', os: ['win32'], optional: true },
      'node_modules/c': { version: '1', integrity: 'sha1-x' },
      'node_modules/d': { version: '1', integrity: 'sha512-x' },
      'node_modules/d/node_modules/e': { version: '1', inBundle: true },
      'node_modules/f': { link: true },
    };
    expect(findUnverified(packages)).toEqual(['node_modules/a@1', 'node_modules/b@1', 'node_modules/c@1']);
  });
});

describe.each(workflows)('the workflow %s', (_name, { permissions, jobs }) => {
  it('pins every action by commit', () => {
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(used.filter((action) => !/@[0-9a-f]{40}$/u.test(action))).toEqual([]);
  });

  it('gives jobs only read permission by default', () => {
    const granted = Object.entries(permissions ?? { all: 'write' });
    expect(granted.filter(([, access]) => access === 'write')).toEqual([]);
  });
});

describe('the release workflow', () => {
  it('gives each permission to the one job that needs it', () => {
    const granted = Object.entries(release.jobs).flatMap(([job, { permissions = {} }]) =>
      Object.entries(permissions).flatMap(([name, access]) =>
        access === 'write' ? [`${job}: ${name}`] : [],
      ),
    );
    expect(granted).toEqual(['sign: id-token', 'sign: attestations', 'npm: id-token', 'publish: contents']);
  });

  it('runs no install scripts in the jobs that build, sign and publish', () => {
    const commands = ['build', 'sign', 'npm', 'publish'].flatMap((job) => runsOf(release.jobs[job] as Job));
    const installs = commands.filter((command) => /npm (?:ci|install|publish)/u.test(command));
    expect(installs.length).toBeGreaterThan(0);
    expect(installs.filter((command) => !command.includes('--ignore-scripts'))).toEqual([]);
  });

  it('publishes a bill of materials and provenance', () => {
    expect(runsOf(release.jobs['build'] as Job).join('\n')).toContain('npm sbom');
    expect(runsOf(release.jobs['npm'] as Job).join('\n')).toContain('--provenance');
    const uses = (release.jobs['sign'] as Job).steps.flatMap((step) => step.uses ?? []);
    expect(uses.join('\n')).toContain('actions/attest-build-provenance@');
  });
});
