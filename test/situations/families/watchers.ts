import { eligible, keep, type Family, type Situation, type Stage } from '../situation.ts';

const TSC = `echo '{"files":["a.ts"],"compilerOptions":{"noEmit":true}}' > tsconfig.json; echo 'export {}' > a.ts`;
const WEBPACK = `mkdir -p src; echo 'console.log(1)' > src/index.js`;

/** A watcher whose agent was killed: it watches files for no one. */
const left = (id: string, needs: readonly string[], run: string, stage: Stage = 'orphan'): Situation =>
  eligible(
    `${id}-owner-dead`,
    { stage, needs },
    'A watcher that an agent started; the agent, its session and its pipes are gone.',
    run,
  );

/** A watcher with a living owner. */
const used = (id: string, stage: Stage, needs: readonly string[], run: string): Situation =>
  keep(`${id}-owner-lives`, { stage, needs }, 'A watcher whose owner lives.', run);

export const watchers: Family = {
  name: 'watchers',
  situations: [
    used('tsc-watch', 'owner', ['tsc'], `${TSC}; bg watcher tsc --watch; sleep 3`),
    used(
      'nodemon',
      'terminal',
      ['nodemon'],
      `echo 'setInterval(()=>{},1e6)' > a.js; bg watcher nodemon a.js; sleep 2`,
    ),
    used(
      'webpack-watch',
      'owner',
      ['webpack'],
      `${WEBPACK}; bg watcher webpack --watch --mode development; sleep 4`,
    ),
    used('chokidar', 'terminal', ['chokidar'], `bg watcher chokidar 'src/**' -c true; sleep 1`),
    used(
      'esbuild-watch',
      'owner',
      ['esbuild'],
      `echo 1 > a.js; bg watcher esbuild a.js --outfile=b.js --watch; sleep 1`,
    ),
    used(
      'vitest-watch',
      'terminal',
      ['vitest'],
      `echo "test('a',()=>{})" > a.test.js; bg watcher vitest --globals; sleep 4`,
    ),
    keep(
      'inotifywait-of-a-sync-script',
      { stage: 'hangup', needs: ['inotifywait'] },
      'A script started with nohup copies files as they change; it waits in its watcher.',
      `mkdir in out; printf 'while :; do inotifywait -qq -e close_write in; cp in/* out/; done\\n' > sync.sh
bg script nohup bash sync.sh > sync.log 2>&1; child_of script inotifywait; quiet sync.log`,
    ),
    keep(
      'nodemon-parent-init-owner-holds-pipe',
      { stage: 'owner', needs: ['nodemon'] },
      'Its parent is init, but its owner lives and holds the other end of its pipes.',
      `echo 'setInterval(()=>{},1e6)' > a.js; adopt watcher setsid nodemon a.js; sleep 2`,
    ),
    left(
      'tsc-watch',
      ['tsc'],
      `${TSC}; bg watcher setsid tsc --watch > tsc.log 2>&1; until_true grep -q Watching tsc.log; quiet tsc.log`,
    ),
    left(
      'nodemon',
      ['nodemon'],
      `echo 'setInterval(()=>{},1e6)' > a.js; bg watcher setsid nodemon a.js; sleep 2`,
    ),
    left(
      'webpack-watch',
      ['webpack'],
      `${WEBPACK}; bg watcher setsid webpack --watch --mode development; sleep 4`,
    ),
    left('chokidar', ['chokidar'], `bg watcher setsid chokidar '*.js' -c true; sleep 1`),
    left(
      'esbuild-watch-forever',
      ['esbuild'],
      `echo 1 > a.js; bg watcher setsid esbuild a.js --outfile=b.js --watch=forever; sleep 1`,
    ),
    left(
      'rollup-watch',
      ['rollup'],
      `echo 1 > a.js; bg watcher setsid rollup --silent -w -i a.js -o b.js; sleep 2`,
    ),
    left(
      'sass-watch',
      ['sass'],
      `echo 'a{b:c}' > a.scss; bg watcher setsid sass --watch a.scss:a.css --no-stop-on-error; sleep 2`,
    ),
    left('onchange', ['onchange'], `bg watcher setsid onchange '*.js' -- true; sleep 2`),
    left('inotifywait', ['inotifywait'], 'mkdir src; bg watcher setsid inotifywait -q -m src; sleep 1'),
    left(
      'vitest-watch',
      ['vitest'],
      `echo "test('a',()=>{})" > a.test.js; CI=true bg watcher setsid vitest --watch --globals; sleep 8`,
    ),
    left(
      'tsx-watch',
      ['tsx'],
      `echo 'setInterval(()=>{},1e6)' > a.ts; bg watcher setsid tsx watch a.ts; sleep 2`,
    ),
    left(
      'node-watch',
      [],
      `echo 'setInterval(()=>{},1e6)' > a.js; bg watcher setsid node --watch a.js; sleep 2`,
    ),
    left('pytest-watcher', ['ptw'], `echo > test_a.py; bg watcher setsid ptw . --now; sleep 3`),
    left(
      'nodemon-terminal-closed',
      ['nodemon'],
      `echo 'setInterval(()=>{},1e6)' > a.js; set -m; bgn watcher nodemon a.js >/dev/null 2>&1; sleep 2`,
      'hangup',
    ),
  ],
};
