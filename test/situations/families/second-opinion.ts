import { abandoned, eligible, keep, type Family } from '../situation.ts';

/** Programs whose name or role suggests another answer than their use: written later than the other families, before anything was run. */
export const secondOpinion: Family = {
  name: 'second opinion',
  situations: [
    keep(
      'gopls-shared-daemon-with-client',
      { stage: 'owner', needs: ['gopls'] },
      'A language server that several editors share; one of them is connected through its forwarder.',
      `( setsid gopls serve -listen="unix;$DIR/gopls.sock" -listen.timeout=0 </dev/null >/dev/null 2>&1 9<&- & echo $! > "$DIR/daemon.pid" )
until_true test -S gopls.sock; bg forwarder gopls -remote="unix;$DIR/gopls.sock" serve; sleep 2`,
    ),
    keep(
      'celery-worker-idle',
      { stage: 'detached', needs: ['celery'] },
      'A queue worker that waits for the jobs of an application.',
      `mkdir queue; printf 'from celery import Celery\\napp = Celery(broker="filesystem://", broker_transport_options={"data_folder_in": "queue", "data_folder_out": "queue"})\\n' > jobs.py
bg worker setsid celery -A jobs worker --concurrency 2 -f worker.log >/dev/null 2>&1; until_true grep -q ready worker.log; quiet worker.log`,
    ),
    keep(
      'gunicorn-behind-a-proxy',
      { stage: 'detached', needs: ['gunicorn'] },
      'An application server on loopback that a reverse proxy uses; it has no request at the moment.',
      `printf 'def app(e, start):\\n    start("200 OK", [])\\n    return [b"ok"]\\n' > site_app.py
bg _start gunicorn --daemon --pid g.run --log-file g.log -b 127.0.0.1:$PORT site_app:app
until_true test -s g.run; track server $(cat g.run); track worker $(child_of server gunicorn); quiet g.log`,
    ),
    keep(
      'mcp-gateway-for-agents',
      { stage: 'detached', needs: ['supergateway', 'mcp-server-memory'] },
      'A gateway by which agents reach a tool server over HTTP; no agent is connected at the moment.',
      `bg gateway setsid supergateway --stdio mcp-server-memory --port $PORT >/dev/null 2>&1; listening; track server $(child_of gateway mcp-server-memory)`,
    ),
    keep(
      'entr-restarts-a-server',
      { stage: 'hangup', needs: ['entr', 'python3'] },
      'Started with nohup: restarts a server for other machines when its configuration changes.',
      `echo 1 > server.conf; echo server.conf > files.txt
( setsid nohup entr -nr python3 -m http.server --bind 0.0.0.0 $PORT < files.txt > entr.log 2>&1 9<&- & echo $! > "$DIR/watcher.pid" )
listening; track server $(child_of watcher http.server); quiet entr.log`,
    ),
    keep(
      'inotifywait-in-a-pipeline',
      { stage: 'detached', needs: ['inotifywait'] },
      'Copies each scan as it arrives; the loop that reads the watcher lives.',
      `mkdir in out; printf 'inotifywait -qm -e close_write --format %%f in | while read -r file; do cp "in/$file" out/; done\\n' > copy.sh
bg script setsid bash copy.sh; track watcher $(child_of script inotifywait)`,
    ),
    keep(
      'tmux-tsc-watch',
      { stage: 'detached', needs: ['tmux', 'tsc'] },
      'A watcher in a detached session of a person.',
      `echo '{"files":["a.ts"],"compilerOptions":{"noEmit":true}}' > tsconfig.json; echo 'export {}' > a.ts
tmux -S $DIR/socket -f /dev/null new-session -d -s work 'tsc --watch'; until_true tmux -S $DIR/socket has-session
track server $(tmux -S $DIR/socket display -p '#{pid}'); track watcher $(tmux -S $DIR/socket display -p '#{pane_pid}'); sleep 3`,
    ),
    keep(
      'pytest-under-flock-and-timeout',
      { stage: 'hangup', needs: ['pytest', 'flock', 'timeout'] },
      'A nightly test run that waits for its turn at a device; only one may run at a time.',
      `printf 'import time\\ndef test_device():\\n    time.sleep(1e6)\\n' > test_device.py
bg job setsid timeout 9h flock device.lock pytest -q test_device.py > night.log 2>&1; track run $(child_of job test_device); quiet night.log`,
    ),
    keep(
      'parallel-with-node-jobs',
      { stage: 'detached', needs: ['parallel'] },
      'Converts a list of files, two at a time; each job waits for a slow source.',
      `echo 'setTimeout(() => {}, 1e9)' > convert.js
bg runner setsid parallel -j 2 node convert.js ::: a b c d > p.log 2>&1; sleep 3; track job $(child_of runner convert.js); quiet p.log`,
    ),
    keep(
      'nodemon-as-a-service',
      { stage: 'hangup', needs: ['nodemon'] },
      'A small site that a person keeps running with nohup and nodemon, behind a proxy on the same machine.',
      `echo "require('node:http').createServer((q,r)=>r.end('ok')).listen($PORT,'127.0.0.1')" > site.cjs
bgn watcher setsid nohup nodemon site.cjs > site.log 2>&1; listening; track site $(child_of watcher 'node .*site.cjs'); quiet site.log`,
    ),
    abandoned(
      'multiprocessing-pool-parent-killed',
      { stage: 'orphan', needs: ['python3'] },
      'Workers of a script of an agent; the script was killed, and the workers wait for a queue that nothing writes to.',
      `printf 'import concurrent.futures as f, multiprocessing as m, time\\npool = f.ProcessPoolExecutor(2, mp_context=m.get_context("fork"))\\nfor job in [pool.submit(time.sleep, 1) for _ in range(4)]:\\n    job.result()\\nopen("workers", "w").write(" ".join(str(pid) for pid in pool._processes) + chr(10))\\ntime.sleep(1e6)\\n' > job.py
bg _script setsid python3 job.py; until_true test -s workers; read -r one two < workers; track first $one; track second $two; kill -9 $(cat _script.pid); sleep 1`,
    ),
    eligible(
      'playwright-mcp-agent-dead',
      { stage: 'orphan', needs: ['playwright-mcp'] },
      'A tool server whose agent was killed; it did not notice the end of its input.',
      'NODE_OPTIONS="--require $PROGRAMS/keep-alive.cjs" bg server setsid playwright-mcp; sleep 3',
    ),
    eligible(
      'svelte-language-server-editor-dead',
      { stage: 'orphan', needs: ['svelteserver'] },
      'The editor was killed; the server did not notice the end of its input.',
      'NODE_OPTIONS="--require $PROGRAMS/keep-alive.cjs" bg server setsid svelteserver --stdio; sleep 3',
    ),
    eligible(
      'watchmedo-owner-dead',
      { stage: 'orphan', needs: ['watchmedo'] },
      'A watcher that an agent started; the agent, its session and its pipes are gone.',
      `bg watcher setsid watchmedo shell-command --patterns '*.py' --command true .; sleep 2`,
    ),
    abandoned(
      'chromedriver-log-file',
      { stage: 'orphan', needs: ['chromedriver'] },
      'The driver of a browser test; the test was killed, and no process uses the driver.',
      'bg driver setsid chromedriver --port=$PORT --log-path=$DIR/driver.log; listening; sleep 1; quiet driver.log',
    ),
  ],
};
