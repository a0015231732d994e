import { killWhen } from '../../../system/kill-when.ts';
import { startProgram } from '../../../system/start-program.ts';
import { collectOutput } from '../../run/collect-output.ts';
import { countOf, textOf, ToolRefusal, type WorkspaceTool } from './workspace-tool.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
/** Room for the exit code and the headings. */
const HEADING_BYTES = 100;

/**
 * Runs a shell command in the tree, and ends whatever it leaves running: nothing of one call reaches into the next. Both outputs are
 * told apart, because their order among each other is never the same twice.
 */
export const runTool: WorkspaceTool = async (args, { root, env, maxBytes, signal }) => {
  const timeoutMs = countOf(args, 'timeout_ms', DEFAULT_TIMEOUT_MS);
  const room = Math.max(0, Math.floor((maxBytes - HEADING_BYTES) / 2));
  const [stdout, stderr] = [collectOutput(room), collectOutput(room)];
  const child = startProgram(['/bin/sh', '-c', textOf(args, 'command')], {
    cwd: root,
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
    // What an ended shell says of it depends on which of its processes went first.
    if (signal.aborted) throw new ToolRefusal('aborted');
    if (killing.timedOut())
      throw new ToolRefusal(`the command did not end within ${timeoutMs} ms and was ended`);
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
