/** Adopts orphaned descendants, as container inits and session managers do, and runs one script. */
import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import koffi from 'koffi';

const PR_SET_CHILD_SUBREAPER = 36;
const [, , pidFile = '', script = ''] = process.argv;
const prctl = koffi
  .load('libc.so.6')
  .func('int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)') as (
  ...values: number[]
) => number;
if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) !== 0) throw new Error('cannot become a subreaper');
spawn('bash', [script], { stdio: 'inherit' });
writeFileSync(`${pidFile}.new`, `${process.pid}\n`);
renameSync(`${pidFile}.new`, pidFile);
setInterval(() => {}, 1_000_000);
