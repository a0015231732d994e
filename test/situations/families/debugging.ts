import { keep, type Family } from '../situation.ts';

/** Debuggers, tracers and job control. */
export const debugging: Family = {
  name: 'debugging',
  situations: [
    keep(
      'gdb-with-stopped-program',
      { stage: 'terminal', needs: ['gdb'] },
      'A person looks at a stopped program.',
      `bg debugger gdb -q -nx -iex 'set debuginfod enabled off' -ex 'break nanosleep' -ex run --args sleep 100000; child_of debugger '^sleep'; sleep 1`,
    ),
    keep(
      'gdb-attached-to-orphan',
      { stage: 'detached', needs: ['gdb'] },
      'An orphan that a debugger examines.',
      `bg orphan setsid sleep 100000; bg debugger setsid gdb -q -nx -batch -iex 'set debuginfod enabled off' -p $(cat orphan.pid) -ex 'shell sleep 100000' >/dev/null 2>&1; until_true grep -q 'TracerPid:.[1-9]' /proc/$(cat orphan.pid)/status`,
    ),
    keep(
      'strace-attached-to-orphan',
      { stage: 'detached', needs: ['strace'] },
      'A person traces a process to find out why it hangs.',
      `bg orphan setsid sleep 100000; sleep 0.3; bg tracer setsid strace -o trace.txt -p $(cat orphan.pid) >/dev/null 2>&1; until_true grep -q 'TracerPid:.[1-9]' /proc/$(cat orphan.pid)/status; quiet trace.txt`,
    ),
    keep(
      'strace-started-program',
      { stage: 'hangup', needs: ['strace'] },
      'A trace of a long run, started with nohup.',
      'bg tracer nohup strace -f -o trace.txt sleep 100000 >/dev/null 2>&1; child_of tracer sleep; quiet trace.txt',
    ),
    keep(
      'stopped-job-of-a-living-shell',
      { stage: 'terminal', needs: ['python3'] },
      'Stopped with Ctrl-Z.',
      `bg job python3 -c 'import time; time.sleep(1e6)'; sleep 0.5; kill -STOP $(cat job.pid)`,
    ),
    keep(
      'stopped-find-of-a-living-shell',
      { stage: 'terminal' },
      'Stopped with Ctrl-Z in the middle of its work.',
      `bg job bash -c 'find / -xdev > list.txt 2>/dev/null; sleep 100000'; sleep 0.2; kill -STOP $(cat job.pid)`,
    ),
    keep(
      'node-inspect-with-debugger',
      { stage: 'owner' },
      'A program under a debugger that is connected.',
      `echo 'setInterval(()=>{},1e6)' > a.js; bg debugger node inspect --port=$PORT a.js; child_of debugger 'inspect-brk'; sleep 1`,
    ),
    keep(
      'node-inspect-brk-waits',
      { stage: 'terminal' },
      'Waits for a person to connect a debugger.',
      `echo 1 > a.js; bg program node --inspect-brk=127.0.0.1:$PORT a.js; listening`,
    ),
    keep(
      'python-debugger-prompt',
      { stage: 'terminal', needs: ['python3'] },
      'A person steps through a program.',
      `echo 'x = 1' > a.py; bg debugger python3 -m pdb a.py; sleep 1`,
    ),
    keep(
      'tcpdump-capture',
      { stage: 'hangup', needs: ['tcpdump'] },
      'Records traffic until a rare fault happens.',
      'bg capture nohup tcpdump -Z root -q -i lo -w capture.pcap port 1 >/dev/null 2>&1; sleep 1; quiet capture.pcap',
    ),
    keep(
      'ltrace-on-terminal',
      { stage: 'terminal', needs: ['ltrace'] },
      'A tracer and its program in an open terminal.',
      'bg tracer ltrace -o trace.txt sleep 100000; child_of tracer sleep',
    ),
    keep(
      'stopped-orphan-under-job-control-tool',
      { stage: 'detached' },
      'A person paused a heavy job with kill -STOP until the night.',
      `bg job setsid bash -c 'while :; do sleep 1; done'; sleep 0.5; kill -STOP $(cat job.pid)`,
    ),
  ],
};
