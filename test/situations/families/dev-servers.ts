import { abandoned, type Family, type Situation, type Stage } from '../situation.ts';

/** Development servers on loopback that an agent started and left; no client is connected. */
const leftOver = (id: string, stage: Stage, needs: readonly string[], run: string): Situation =>
  abandoned(
    id,
    { stage, needs },
    'The agent that started it has ended; it serves loopback only, without any client.',
    run,
  );

const VITE = 'vite --port $PORT --host 127.0.0.1';
const PYTHON = 'python3 -m http.server --bind 127.0.0.1 $PORT';
const HTTP = 'http-server -a 127.0.0.1 -p $PORT';

export const devServers: Family = {
  name: 'dev servers',
  situations: [
    leftOver(
      'vite-pipes-closed',
      'orphan',
      ['vite'],
      `echo x > index.html; bg server setsid ${VITE}; listening`,
    ),
    leftOver(
      'vite-log-file',
      'orphan',
      ['vite'],
      `echo x > index.html; bg server setsid ${VITE} > vite.log 2>&1; listening; quiet vite.log`,
    ),
    leftOver(
      'vite-null-streams',
      'detached',
      ['vite'],
      `echo x > index.html; bg server setsid ${VITE}; listening`,
    ),
    leftOver(
      'npm-run-dev-tree',
      'orphan',
      ['vite', 'npm'],
      `echo x > index.html; printf '{"private":true,"scripts":{"dev":"vite --port %s --host 127.0.0.1"}}' $PORT > package.json
bg npm setsid npm run dev; listening`,
    ),
    leftOver(
      'python-http-server-pipes-closed',
      'orphan',
      ['python3'],
      `bg server setsid ${PYTHON}; listening`,
    ),
    leftOver(
      'python-http-server-log-file',
      'orphan',
      ['python3'],
      `bg server setsid ${PYTHON} > s.log 2>&1; listening; quiet s.log`,
    ),
    leftOver(
      'python-http-server-null-streams',
      'detached',
      ['python3'],
      `bg server setsid ${PYTHON}; listening`,
    ),
    leftOver('http-server-pipes-closed', 'orphan', ['http-server'], `bg server setsid ${HTTP}; listening`),
    leftOver(
      'http-server-terminal-closed',
      'hangup',
      ['http-server'],
      `set -m; bgn server ${HTTP}; listening`,
    ),
    leftOver(
      'live-server',
      'orphan',
      ['live-server'],
      `bg server setsid live-server --host=127.0.0.1 --port=$PORT --no-browser; listening`,
    ),
    leftOver(
      'serve-null-streams',
      'detached',
      ['serve'],
      `bg server setsid serve -l tcp://127.0.0.1:$PORT; listening`,
    ),
    leftOver(
      'esbuild-serve',
      'detached',
      ['esbuild'],
      `echo 'console.log(1)' > in.js; mkfifo in; exec 5<>in; exec 9<&5; bg server setsid esbuild in.js --outdir=out --bundle --serve=127.0.0.1:$PORT; listening`,
    ),
    leftOver(
      'flask-debug-server',
      'orphan',
      ['flask'],
      `echo 'from flask import Flask; app = Flask(__name__)' > app.py; bg server setsid flask --app app run --debug --port $PORT; listening`,
    ),
    leftOver(
      'uvicorn-reload',
      'orphan',
      ['uvicorn'],
      `printf 'async def app(scope, receive, send):\\n    pass\\n' > app.py; bg server setsid uvicorn app:app --reload --port $PORT; listening`,
    ),
  ],
};
