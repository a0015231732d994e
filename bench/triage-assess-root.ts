/** Collects and assesses a proc root once, and prints its CPU time and peak memory. A separate process, so that the peak is its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { assess } from '../src/triage/assess.ts';
import { DEFAULT_PARAMETERS } from '../src/triage/parameters/load-parameters.ts';
import { collect } from '../src/triage/proc/collect.ts';

const before = process.cpuUsage();
const snapshot = await collect(process.argv[2] ?? '', {
  host: 'bench',
  observer: { pid: process.pid, uid: process.getuid?.() ?? 0 },
  sleep: (milliseconds) => sleep(milliseconds),
  now: Date.now,
  windowMs: 10,
  names: DEFAULT_PARAMETERS.names,
});
const { assessments } = assess(snapshot, DEFAULT_PARAMETERS, { alpha: 0.025 });
const { user, system } = process.cpuUsage(before);
if (assessments.length === 0) throw new Error('nothing was assessed');
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ milliseconds: (user + system) / 1000, peakMb }));
