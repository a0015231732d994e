import { abandoned, type Family, type Situation, type Stage } from '../situation.ts';

const left = (id: string, stage: Stage, run: string, needs: readonly string[] = [], busy?: true): Situation =>
  abandoned(
    id,
    { stage, needs, ...(busy === undefined ? {} : { busy }) },
    'An agent started it with its shell tool and was killed; its pipes are closed.',
    run,
  );

/** What the shell tool of a dead agent leaves: no kind that serves only its owner, but a person should see it. */
export const leftovers: Family = {
  name: 'leftovers',
  situations: [
    left('sleep-infinity', 'orphan', 'bg left setsid sleep infinity'),
    left('tail-follows-a-log', 'orphan', 'echo x > app.log; bg left setsid tail -f app.log; sleep 0.3'),
    left('yes-to-null', 'orphan', 'bg left setsid yes >/dev/null', [], true),
    left('python-endless-loop', 'orphan', `bg left setsid python3 -c 'while True: pass'`, ['python3'], true),
    left(
      'node-script-that-hangs',
      'orphan',
      `bg left setsid node -e 'setInterval(() => {}, 1e6)'; sleep 0.5`,
    ),
    left('poll-loop', 'orphan', `bg left setsid bash -c 'while :; do sleep 2; done'; sleep 0.3`),
    left(
      'grep-without-input',
      'orphan',
      'mkfifo in; exec 5<>in; bg left setsid grep -r pattern - <in 9<in; track left $(cat left.pid); sleep 0.3',
    ),
    left(
      'interactive-shell-of-agent',
      'orphan',
      `mkfifo in; exec 5<>in; exec 9<&5; bg left setsid bash --norc -i; sleep 0.5`,
    ),
    left(
      'npm-start-that-hangs',
      'orphan',
      `echo 'setInterval(() => {}, 1e6)' > hang.cjs; echo '{"private":true,"scripts":{"start":"node hang.cjs"}}' > package.json; bg left setsid npm start; child_of left hang.cjs`,
      ['npm'],
    ),
    left(
      'python-web-driver-script',
      'orphan',
      `bg left setsid python3 -c 'import threading; threading.Event().wait()'; sleep 0.5`,
      ['python3'],
    ),
  ],
};
