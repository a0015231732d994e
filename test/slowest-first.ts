import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ROOT } from '../scripts/build-constants.ts';

/**
 * The test files that take longest, slowest first. They start first, in all projects, so that no core is idle at the end of a run because
 * one long file started late. By default vitest runs one project after the other, and without a cache it sorts the files by size.
 */
export const SLOWEST = [
  'test/acceptance/web-pages.test.ts',
  'test/conformance/leaf-commands.test.ts',
  'test/acceptance/work-branch.test.ts',
  'test/acceptance/continuity-loop.test.ts',
  'test/acceptance/work-ai-agent.test.ts',
  'test/acceptance/work-plan.test.ts',
  'src/work/workspace/sandbox/escape.test.ts',
  'test/acceptance/continuity-deed.test.ts',
  'test/acceptance/work-killed.test.ts',
  'test/acceptance/npm-install.test.ts',
  'test/acceptance/update.test.ts',
  'test/acceptance/work-staged-writes.test.ts',
  'test/acceptance/moving-from-vybe.test.ts',
  'test/acceptance/pt-vetoes.test.ts',
  'test/postgres/server-faults.test.ts',
  'test/acceptance/work-journal.test.ts',
  'test/acceptance/work-from-tasks.test.ts',
  'test/acceptance/demo.test.ts',
  'test/acceptance/library-examples.test.ts',
  'test/acceptance/mcp-hostile-http.test.ts',
  'test/acceptance/triage-steering.test.ts',
  'test/acceptance/agent-failures.test.ts',
  'test/acceptance/work-agents.test.ts',
  'test/acceptance/work-watched.test.ts',
  'test/acceptance/confirm-token.test.ts',
  'test/acceptance/continuity-failures.test.ts',
  'src/work/workspace/unusual-trees.test.ts',
  'test/acceptance/agent-sessions.test.ts',
  'test/acceptance/store-loss.test.ts',
  'test/acceptance/work-stored-results.test.ts',
  'test/acceptance/parser.test.ts',
  'test/acceptance/triage-deed.test.ts',
  'test/acceptance/conformance-kit.test.ts',
  'test/acceptance/hook-plays.test.ts',
  'test/acceptance/work-isolation.test.ts',
  'src/agent/tools/mcp-tool-host.test.ts',
  'test/acceptance/idempotency.test.ts',
  'test/acceptance/run-processes.test.ts',
  'test/acceptance/update-npm.test.ts',
  'test/acceptance/work-failures.test.ts',
];

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const pathOf = (file: TestSpecification): string => relative(ROOT, file.moduleId);
    return [
      ...SLOWEST.flatMap((path) => rest.filter((file) => pathOf(file) === path)),
      ...rest.filter((file) => !SLOWEST.includes(pathOf(file))),
    ];
  }
}
