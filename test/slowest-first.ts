import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ROOT } from '../scripts/build-constants.ts';

/**
 * The test files that take longest, slowest first. They start first, in all projects, so that no core is idle at the end of a run because
 * one long file started late. By default vitest runs one project after the other, and without a cache it sorts the files by size.
 */
export const SLOWEST = [
  'test/acceptance/work-ai-agent.test.ts',
  'test/acceptance/demo.test.ts',
  'test/conformance/leaf-commands.test.ts',
  'test/acceptance/work-plan.test.ts',
  'test/acceptance/agent-failures.test.ts',
  'test/acceptance/idempotency.test.ts',
  'test/acceptance/work-stage.test.ts',
  'test/acceptance/work-failures.test.ts',
  'test/acceptance/pt-safety.test.ts',
  'test/acceptance/schema-libraries.test.ts',
  'src/agent/tools/mcp-tool-host.test.ts',
  'test/acceptance/update.test.ts',
  'test/acceptance/update-interrupted.test.ts',
  'test/acceptance/update-from-0.1.0.test.ts',
  'test/acceptance/update-npm.test.ts',
  'test/acceptance/npm-install.test.ts',
  'src/agent/tools/mcp-conformance.test.ts',
  'src/work/workspace/promotion/crash-matrix.test.ts',
  'src/work/workspace/unusual-trees.test.ts',
  'src/triage/operations/resume.test.ts',
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
