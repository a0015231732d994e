import { keep, type Family } from '../situation.ts';

/** Long jobs that a person started and left to run. */
export const batchJobs: Family = {
  name: 'batch jobs',
  situations: [
    keep(
      'training-loop-quiet-log',
      { stage: 'hangup', needs: ['python3'], busy: true },
      'A computation of days; it logs at the end of each epoch.',
      `printf 'import time\\nn = 0\\nwhile True: n += 1\\n' > train.py
bg job nohup python3 train.py --epochs 100 > train.log 2>&1; sleep 1; quiet train.log`,
    ),
    keep(
      'training-loop-null-streams',
      { stage: 'detached', needs: ['python3'], busy: true },
      'A computation of days without any output.',
      `printf 'n = 0\\nwhile True: n += 1\\n' > simulate.py; bg job setsid python3 simulate.py`,
    ),
    keep(
      'training-loop-pipes-closed',
      { stage: 'orphan', needs: ['python3'], busy: true },
      'Started over a connection that was lost; it writes its result at the end.',
      `printf 'n = 0\\nwhile True: n += 1\\n' > solve.py; bg job setsid python3 solve.py --out result.bin`,
    ),
    keep(
      'checkpoint-writer',
      { stage: 'detached', needs: ['python3'] },
      'Writes a checkpoint every few seconds.',
      `printf 'import time\\nwhile True:\\n    open("model.bin", "wb").write(b"x" * 1000000)\\n    time.sleep(2)\\n' > train.py; bg job setsid python3 train.py`,
    ),
    keep(
      'scheduled-reminder',
      { stage: 'hangup' },
      'A command that waits for its time: sleep, then act.',
      `bg job nohup bash -c 'sleep 100000; echo now > reminder' >/dev/null 2>&1; sleep 1`,
    ),
    keep(
      'cron-like-loop',
      { stage: 'detached' },
      'A self-made schedule: works once an hour.',
      `printf 'while :; do date >> runs; sleep 3600; done\\n' > hourly.sh; bg job setsid bash hourly.sh; sleep 1; quiet runs`,
    ),
    keep(
      'sort-of-a-large-file',
      { stage: 'hangup', busy: true },
      'A long sort in the background.',
      `bg job setsid bash -c 'yes | head -c 3000000000 | sort -S 200M -R > sorted'; sleep 1`,
    ),
    keep(
      'ffmpeg-encoding',
      { stage: 'hangup', needs: ['ffmpeg'], busy: true },
      'An encoding of hours.',
      'bg job nohup ffmpeg -nostdin -loglevel error -f lavfi -i testsrc=size=640x480 -t 100000 -c:v libx264 -preset veryslow out.mkv > encode.log 2>&1; sleep 2; quiet encode.log',
    ),
    keep(
      'pipeline-waits-for-data',
      { stage: 'detached' },
      'A consumer waits for the next line of a named pipe.',
      'mkfifo queue; bg consumer setsid bash -c "exec 3<>queue; while read -r line <&3; do echo $line >> done.txt; done"; sleep 1',
    ),
    keep(
      'script-holds-a-lock',
      { stage: 'detached', needs: ['flock'] },
      'Holds a lock file so that no second copy starts.',
      `bg job setsid flock -n job.lock sleep 100000; sleep 1`,
    ),
    keep(
      'node-bot-with-connection',
      { stage: 'detached', needs: ['python3'] },
      'A bot with a connection to its server, started with nohup.',
      `bg _server setsid python3 -c "import socket,time; s=socket.socket(); s.bind(('127.0.0.1',$PORT)); s.listen(); c=s.accept(); time.sleep(1e6)"; sleep 1
bg bot nohup node -e "require('node:net').connect($PORT,'127.0.0.1').on('data',()=>{})" >/dev/null 2>&1; sleep 1`,
    ),
    keep(
      'log-follower-into-file',
      { stage: 'detached' },
      'Collects the errors of a log into a file for later.',
      `touch app.log; bg _app setsid bash -c 'while :; do echo error >> app.log; sleep 1; done'; bg job setsid bash -c 'tail -F app.log | grep --line-buffered error >> errors.txt'; sleep 2`,
    ),
    keep(
      'monitoring-script',
      { stage: 'hangup' },
      'Records the load once a minute for a person who looks tomorrow.',
      `bg job nohup bash -c 'while :; do cat /proc/loadavg >> load.txt; sleep 60; done' >/dev/null 2>&1; sleep 1`,
    ),
    keep(
      'retry-loop-waits-for-service',
      { stage: 'detached', needs: ['curl'] },
      'Waits until a service answers, then continues a deployment.',
      `bg job setsid bash -c 'until curl -sf http://127.0.0.1:1/ready; do sleep 5; done; echo deployed > result'; sleep 1`,
    ),
    keep(
      'valgrind-run',
      { stage: 'detached', needs: ['valgrind'], busy: true },
      'A program under an analysis that takes hours.',
      `bg job setsid valgrind -q --log-file=v.log bash -c 'while :; do :; done'; sleep 2; quiet v.log`,
    ),
    keep(
      'agent-at-work-in-background',
      { stage: 'detached', standIn: 'the executables of agents are not in the registries' },
      'An agent that a person started in the background; it waits for its child.',
      `as agent 'claude' bash -c 'sleep 100000; true'; sleep 1`,
    ),
  ],
};
