import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteForShell } from '../../src/base/quote-for-shell.ts';

/** A process of a scenario. */
export interface ProcessSpec {
  /** Its argv[0]. */
  readonly name: string;
  /** What it does; sleeps by default. Ignored with children: then it waits for them. */
  readonly does?: Behaviour;
  readonly children?: readonly string[];
  readonly redirect?: string;
  readonly folder?: string;
  /** Starts its own session. */
  readonly setsid?: boolean;
}

type Behaviour = 'sleep' | 'spin' | 'write' | 'tick' | 'listen' | 'lock' | 'hold-file' | 'compile';

export const NULL_STREAMS = '</dev/null >/dev/null 2>&1';

/**
 * Renders the shell command that starts one process in the background. The process writes its pid to the file of its label and then
 * executes its program, so that the pid stays the same.
 */
export function renderProcess(folder: string, label: string, background: ProcessSpec): string {
  const { name, does = 'sleep', children, redirect = '', setsid } = background;
  const file = join(folder, label);
  if (children !== undefined) writeFileSync(`${file}.sh`, `${children.join('\n')}\nwait\n`);
  const program = children === undefined ? programFor(folder, label, does) : `bash ${file}.sh`;
  const steps = [
    `echo $BASHPID > ${file}.new; mv ${file}.new ${file}`,
    ...(background.folder === undefined ? [] : [`cd ${background.folder}`]),
    ...(does === 'lock' ? [`exec 9>${file}.lock; flock 9`] : []),
    ...(does === 'hold-file' ? [`exec 9>${file}.background; echo started >&9`] : []),
    // setsid keeps the pid.
    setsid === true
      ? `exec setsid bash -c 'exec -a "$0" ${program}' ${quoteForShell(name)}`
      : `exec -a ${quoteForShell(name)} ${program}`,
  ];
  return `( ${steps.join('; ')} ) ${redirect} &`;
}

function programFor(folder: string, label: string, does: Behaviour): string {
  switch (does) {
    case 'sleep':
    case 'lock':
    case 'hold-file':
      return 'sleep 100000';
    case 'listen':
      return `${process.execPath} ${folder}/listen.cjs ${folder}/${label}.port`;
    case 'spin':
    case 'write':
    case 'tick':
    case 'compile':
      return `bash ${folder}/${does}.sh`;
  }
}

/** Files that the processes of all scenarios share. */
export const SHARED_FILES: Readonly<Record<string, string>> = {
  'spin.sh': 'while :; do :; done\n',
  'write.sh': 'exec 8>>"${0%/*}/log.$$"\nwhile :; do echo line >&8; sleep 0.05; done\n',
  'tick.sh': 'while :; do sleep 0.1; done\n',
  'compile.sh':
    'while :; do for i in 1 2 3 4 5 6 7 8; do read -r -N 4096 _ < /dev/zero; done; done 2>/dev/null\n',
  'listen.cjs': `
const fs = require('node:fs');
const server = require('node:net').createServer((socket) => socket.on('error', () => {}));
server.listen(0, '127.0.0.1', () => {
  const file = process.argv[2];
  fs.writeFileSync(file + '.new', server.address().port + '\\n');
  fs.renameSync(file + '.new', file);
});
`,
};
