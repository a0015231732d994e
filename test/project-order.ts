import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ROOT } from '../scripts/build-constants.ts';

/** The projects in the order in which they run. The last one has the shortest files, so that both cores are busy until the end. */
const PROJECTS = ['acceptance', 'postgres', 'architecture', 'unit'];

/** The slowest files of the last project, which start first. */
export const SLOWEST = [
  'src/work/workspace/sandbox/sandbox.test.ts',
  'src/agent/tools/mcp-tool-host.test.ts',
  'src/work/workspace/unusual-trees.test.ts',
  'src/triage/operations/resume.test.ts',
  'src/work/workspace/sandbox/escape.test.ts',
  'src/work/workspace/git.test.ts',
  'src/entrypoints/mcp/rank-commands.test.ts',
  'src/release/discover-release.test.ts',
  'src/work/workspace/promotion/crash-matrix.test.ts',
  'src/agent/providers/create-llm.test.ts',
];

/** Runs one project after the other: a worker is replaced when the next file belongs to another project, and loads everything again. */
export class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): readonly [number, number] => [
      PROJECTS.indexOf(project.name),
      SLOWEST.includes(relative(ROOT, moduleId)) ? 0 : 1,
    ];
    const ranked = (await super.sort(files)).map((file) => ({ file, rank: rank(file) }));
    return ranked.toSorted((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1]).map(({ file }) => file);
  }
}
