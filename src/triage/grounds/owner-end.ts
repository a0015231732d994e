import type { Kind } from '../kinds/find-kind.ts';
import type { DeepFacts } from '../process-snapshot.ts';

/** Programs whose owner reads their stdout: without a reader they cannot serve anyone. */
const ANSWERS_ON_STDOUT: ReadonlySet<string> = new Set(['tool_server', 'language_server', 'test_worker']);

/** Whether the process that wrote to its stdin, or read the answers on its stdout, has closed the other end. */
export function ownerEndClosed({ stdio: [input, output] }: DeepFacts, kind: Kind | undefined): boolean {
  if (input.peer === 'gone') return true;
  if (input.peer === 'alive' || !ANSWERS_ON_STDOUT.has(kind?.name ?? '')) return false;
  return output.peer === 'gone' && (output.kind === 'pipe' || output.kind === 'socket');
}
