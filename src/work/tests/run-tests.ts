import { redactText } from '../../base/secrets/redact.ts';
import { killWhen } from '../../system/kill-when.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { collectOutput } from '../run/collect-output.ts';
import { takeServiceFailure } from '../run/item-workspace.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { TestCounts } from './parse-test-counts.ts';

export interface TestReport {
  readonly command: string;
  readonly passed: boolean;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** Interleaved stdout and stderr, redacted. */
  readonly output: string;
  readonly counts?: TestCounts | undefined;
  readonly durationMs: number;
}

export interface TestOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly network: boolean;
  readonly now: () => number;
}

/** Runs a test command on a layer that is dropped afterwards: tests see the changes but cannot modify what is promoted. */
export async function runTests(
  workspace: Pick<Workspace, 'spawn' | 'scratch'>,
  command: string,
  options: TestOptions,
): Promise<TestReport> {
  const startedAt = options.now();
  const child = workspace.spawn(['/bin/sh', '-c', command], {
    env: options.env,
    layer: 'tests',
    network: options.network,
    maxFileBytes: WORK_LIMITS.diskBytes,
  });
  const output = collectOutput(WORK_LIMITS.outputBytes);
  child.stdout.on('data', output.push);
  child.stderr.on('data', output.push);
  child.stdin.end();
  const killing = killWhen(child, options);
  try {
    const { exitCode } = await child.ended;
    const text = redactText(output.text());
    const timedOut = killing.timedOut();
    const failure = takeServiceFailure(workspace);
    const { parseTestCounts } = await import('./parse-test-counts.ts');
    return {
      command,
      passed: exitCode === 0 && !timedOut,
      exitCode,
      timedOut,
      output: timedOut
        ? `${text}\nThe tests did not finish within ${options.timeoutMs} ms and were terminated.\n`
        : failure === undefined
          ? text
          : `${text}${failure}\n`,
      counts: parseTestCounts(text),
      durationMs: options.now() - startedAt,
    };
  } finally {
    killing.release();
  }
}
