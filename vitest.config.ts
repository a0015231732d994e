import { defineConfig } from 'vitest/config';
import { findPostgres } from './test/fixtures/postgres-server.ts';
import { ProjectByProject } from './test/project-order.ts';

/** For tests that run real processes: a busy machine must not make them fail. */
const PATIENT = { testTimeout: 240_000, hookTimeout: 300_000 };

/** Node loads these files itself, without a transformation per file and worker. */
const NATIVE = { viteModuleRunner: false, nodeLoader: false };

const FOR_WORKERS = ['test/direct-imports-setup.ts', 'test/keep-compiled-setup.ts'];

/**
 * What runs on Postgres: its own tests, and those of continuity that create their store with `createStore`; in the short suite, some of
 * these. Without an installed server, the own tests are skipped, and the others do not run a second time.
 */
const POSTGRES_TESTS = [
  'test/postgres/**/*.test.ts',
  ...(findPostgres() === undefined
    ? []
    : process.env.DEED_TEST_LONG
      ? ['src/continuity/{focus,hooks,memory,store,tasks}/**/*.test.ts', 'src/continuity/*.test.ts']
      : ['src/continuity/tasks/tasks.test.ts', 'src/continuity/idempotency.test.ts']),
];

/**
 * `unit` tests modules next to their code. `acceptance` runs the built executable and the built libraries; it needs `npm run build` first.
 * `scenarios` runs the triage corpora with real processes. `postgres` runs tests of continuity on a Postgres server. `architecture` checks the source code. `coverage` runs last: it checks which
 * commands and flags the other suites used.
 */
export default defineConfig({
  test: {
    isolate: false,
    globalSetup: ['test/fixtures/run-folder.ts'],
    // The suites often wait for processes, so there are more workers than cores; many more cost processor time.
    maxWorkers: 4,
    sequence: { sequencer: ProjectByProject },
    projects: [
      {
        test: {
          name: 'unit',
          experimental: NATIVE,
          setupFiles: ['test/build-constants-setup.ts', ...FOR_WORKERS],
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'web/**/*.test.ts'],
          isolate: false,
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'scenarios',
          experimental: NATIVE,
          setupFiles: ['test/build-constants-setup.ts'],
          include: ['test/scenarios/**/*.test.ts', 'test/situations/**/*.test.ts'],
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'architecture',
          experimental: NATIVE,
          setupFiles: FOR_WORKERS,
          include: ['test/architecture/**/*.test.ts'],
          isolate: false,
        },
      },
      {
        test: {
          name: 'acceptance',
          experimental: NATIVE,
          setupFiles: FOR_WORKERS,
          include: ['test/acceptance/**/*.test.ts', 'test/conformance/**/*.test.ts'],
          isolate: false,
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'postgres',
          experimental: NATIVE,
          setupFiles: ['test/build-constants-setup.ts', ...FOR_WORKERS],
          globalSetup: ['test/fixtures/postgres-setup.ts'],
          env: { DEED_TEST_STORE: 'postgres' },
          include: POSTGRES_TESTS,
          isolate: false,
          ...PATIENT,
        },
      },
      { test: { name: 'coverage', include: ['test/coverage/**/*.test.ts'] } },
    ],
  },
});
