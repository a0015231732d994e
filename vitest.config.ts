import { defineConfig } from 'vitest/config';
import { buildConstants } from './scripts/build-constants.ts';

/**
 * `unit` tests modules beside their code. `acceptance` runs the built executable and the built libraries; it needs `npm run build`
 * first. `scenarios` plays the corpus of triage with real processes. `architecture` looks at the source itself. `coverage` comes
 * last: it judges what the others ran.
 */
export default defineConfig({
  test: {
    isolate: false,
    globalSetup: ['test/fixtures/run-folder.ts'],
    // The suites wait for processes a good part of the time, so more of them than cores keep those busy.
    maxWorkers: 4,
    projects: [
      {
        define: buildConstants(),
        // A busy machine is no failure: those that run real processes wait for them, however long it takes.
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
          isolate: false,
          testTimeout: 240_000,
          hookTimeout: 300_000,
        },
      },
      {
        define: buildConstants(),
        test: {
          name: 'scenarios',
          include: ['test/scenarios/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      { test: { name: 'architecture', include: ['test/architecture/**/*.test.ts'] } },
      {
        test: {
          name: 'acceptance',
          include: ['test/acceptance/**/*.test.ts', 'test/conformance/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 300_000,
        },
      },
      { test: { name: 'coverage', include: ['test/coverage/**/*.test.ts'] } },
    ],
  },
});
