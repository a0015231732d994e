import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ROOT } from '../scripts/build-constants.ts';

/**
 * The test files that take longest, slowest first. They start first, in all projects, so that no core is idle at the end of a run because
 * one long file started late. By default vitest runs one project after the other, and without a cache it sorts the files by size.
 */
export const SLOWEST = [
  'src/work/workspace/unusual-trees.test.ts',
  'test/acceptance/work-commands.test.ts',
  'test/acceptance/work-ai-agent.test.ts',
  'test/acceptance/update.test.ts',
  'src/triage/operations/resume.test.ts',
  'test/acceptance/vybe-contract.test.ts',
  'src/base/secrets/secrets.test.ts',
  'test/acceptance/work-branch.test.ts',
  'test/acceptance/work-plan.test.ts',
  'src/work/workspace/sandbox/escape.test.ts',
  'test/acceptance/work-from-tasks.test.ts',
  'test/acceptance/mcp-serve.test.ts',
  'src/work/workspace/sandbox/sandbox.test.ts',
  'test/acceptance/work-staged-writes.test.ts',
  'test/conformance/leaf-commands.test.ts',
  'test/acceptance/update-from-0.1.0.test.ts',
  'test/acceptance/work-contract.test.ts',
  'test/acceptance/work-journal.test.ts',
  'test/acceptance/secret-samples.test.ts',
  'test/acceptance/work-failures.test.ts',
  'test/acceptance/demo.test.ts',
  'test/acceptance/update-npm.test.ts',
  'test/acceptance/mcp-features.test.ts',
  'test/acceptance/parser.test.ts',
  'test/acceptance/update-interrupted.test.ts',
  'test/acceptance/continuity-brief.test.ts',
  'test/acceptance/work-killed.test.ts',
  'test/acceptance/npm-install.test.ts',
  'test/acceptance/work-agents.test.ts',
  'test/acceptance/agent-failures.test.ts',
  'test/acceptance/idempotency.test.ts',
  'test/acceptance/pt-safety.test.ts',
  'test/acceptance/schema-libraries.test.ts',
  'src/agent/tools/mcp-tool-host.test.ts',
  'src/agent/tools/mcp-conformance.test.ts',
  'src/work/workspace/promotion/crash-matrix.test.ts',
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
