import { lstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { readRange } from '../../system/read-range.ts';
import { treePath, type Service, type WorkItem } from '../item/work-item.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { Workspace } from '../workspace/workspace.ts';

type Needed = Pick<Workspace, 'spawn' | 'scratch'>;

const FAILURE = 'service-failed';
const POLLS_PER_SECOND = 5;

/** A workspace whose commands start in the folder of an item, with its services. */
export function itemWorkspace<T extends Needed>(workspace: T, item: WorkItem): T {
  const { working_directory, services = [] } = item;
  if (working_directory === undefined && services.length === 0) return workspace;
  const cwd = working_directory === undefined ? {} : { cwd: treePath(working_directory) };
  const wrap = (argv: readonly string[]): readonly string[] =>
    services.length === 0
      ? argv
      : ['/bin/sh', '-c', renderServices(services, workspace.scratch.inside), 'services', ...argv];
  return { ...workspace, spawn: (argv, options) => workspace.spawn(wrap(argv), { ...cwd, ...options }) };
}

/** Why a service did not start, from the last command of a workspace; reading it resets it. */
export function takeServiceFailure({ scratch }: Pick<Workspace, 'scratch'>): string | undefined {
  const path = join(scratch.host, FAILURE);
  // The agent can write there, so a link is not followed and a pipe not read.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const text = readRange(path, 0, WORK_LIMITS.resultOutputCharacters).toString('utf8');
  rmSync(path, { force: true });
  return redactText(text.trim());
}

/** Checks that the folder of an item exists. */
export function assertWorkingDirectory({ id, working_directory }: WorkItem, root: string): void {
  if (working_directory === undefined) return;
  const path = treePath(working_directory);
  if (statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new Fault('E_NOT_FOUND', `The working directory does not exist: ${path}`, {
    hint: `Create it, or fix working_directory of "${id}".`,
    details: { field: 'working_directory', path },
  });
}

/**
 * Renders a script that starts the services, waits until each is ready, runs the command, and ends the services. They run in the sandbox
 * of the command: what they leave running ends with it.
 */
function renderServices(services: readonly Service[], scratch: string): string {
  const failure = quoteForShell(`${scratch}/${FAILURE}`);
  return [
    'pids=',
    // In an unconfined run, nothing else would end them when the script is killed.
    "trap 'kill $pids 2>/dev/null' EXIT",
    ...services.flatMap(({ name, command, ready, timeout_ms = WORK_LIMITS.readyMs }) => {
      const log = quoteForShell(`${scratch}/service-${name}.log`);
      const polls = Math.max(1, Math.ceil((timeout_ms / 1000) * POLLS_PER_SECOND));
      return [
        `/bin/sh -c ${quoteForShell(command)} >${log} 2>&1 </dev/null 3>&- &`,
        'pid=$!; pids="$pids $pid"; n=0',
        `until /bin/sh -c ${quoteForShell(ready)} >/dev/null 2>&1 </dev/null; do`,
        '  n=$((n+1))',
        `  if ! kill -0 $pid 2>/dev/null; then why=${quoteForShell(`Service ${name} exited before it was ready`)}`,
        `  elif [ $n -ge ${polls} ]; then why=${quoteForShell(`Service ${name} was not ready within ${timeout_ms} ms`)}`,
        `  else sleep ${1 / POLLS_PER_SECOND}; continue; fi`,
        `  said=$(tail -n 20 ${log})`,
        `  if [ -n "$said" ]; then printf '%s:\\n%s\\n' "$why" "$said"; else echo "$why; it printed nothing"; fi >${failure}`,
        '  exit 125',
        'done',
      ];
    }),
    '"$@"',
  ].join('\n');
}
