import { join } from 'node:path';
import { killWhen } from '../../../system/kill-when.ts';
import { startProgram } from '../../../system/start-program.ts';
import { collectOutput } from '../../run/collect-output.ts';
import { countArgument, textArgument, ToolError, type WorkspaceTool } from './workspace-tool.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
/** Reserved for the exit code and the headings. */
const HEADING_BYTES = 100;

/**
 * Runs a shell command in the tree, and terminates processes that it leaves running, so that no call affects the next one. The outputs
 * are separate, because their interleaving is not deterministic.
 */
export const runTool: WorkspaceTool = async (args, { root, env, maxBytes, signal }) => {
  const timeoutMs = countArgument(args, 'timeout_ms', DEFAULT_TIMEOUT_MS);
  const room = Math.max(0, Math.floor((maxBytes - HEADING_BYTES) / 2));
  const [stdout, stderr] = [collectOutput(room), collectOutput(room)];
  const child = startProgram(['/bin/sh', '-c', textArgument(args, 'command')], {
    cwd: join(root, env.DEED_WORKING_DIRECTORY ?? ''),
    env,
    container: false,
    mark: { name: 'DEED_TOOL_CALL', value: env.DEED_RUN_ID ?? 'run' },
  });
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.end();
  const killing = killWhen(child, { signal, timeoutMs });
  try {
    const { exitCode, signal: ended } = await child.ended;
    // The exit status of a killed shell depends on which of its processes exited first.
    if (signal.aborted) throw new ToolError('aborted');
    if (killing.timedOut())
      throw new ToolError(`the command did not finish within ${timeoutMs} ms and was killed`);
    return [
      exitCode === null ? `ended by ${ended}` : `exit code ${exitCode}`,
      ...section('stdout', stdout.text()),
      ...section('stderr', stderr.text()),
    ].join('\n');
  } finally {
    killing.release();
  }
};

function section(name: string, text: string): readonly string[] {
  return text === '' ? [] : [`--- ${name}`, text.replace(/\n$/u, '')];
}
