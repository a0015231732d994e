import { eligible, keep, type Family } from '../situation.ts';

const IDLE = `echo 'setInterval(() => {}, 1e8)' > job.cjs`;
const SLEEPS = `echo 'import time; time.sleep(1e6)'`;
const GO_TEST = `printf 'package s\\nimport ("testing"; "time")\\nfunc TestS(t *testing.T) { time.Sleep(1000 * time.Hour) }\\n' > s_test.go
printf 'module s\\ngo 1.20\\n' > go.mod`;
const TSC = `echo '{"files":["a.ts"],"compilerOptions":{"noEmit":true}}' > tsconfig.json; echo 'export {}' > a.ts`;

/** A program of a person that the rules for kinds could take for one that serves only its owner: written with knowledge of these rules. */
const own = (id: string, why: string, run: string, needs: readonly string[] = []) =>
  keep(id, { stage: 'orphan', needs }, `Started over SSH: ${why}`, run);

export const namesAndOptions: Family = {
  name: 'names and options',
  situations: [
    own('job-with-w-option', 'a job with four workers.', `${IDLE}; bg job node job.cjs -w 4; sleep 1`),
    own('job-with-m-option', 'a job with a model.', `${IDLE}; bg job node job.cjs -m big; sleep 1`),
    own('job-with-command-watch', 'watches prices.', `${IDLE}; bg job node job.cjs watch AAPL; sleep 1`),
    own(
      'job-with-worker-option',
      'the worker of an application.',
      `${IDLE}; bg job node job.cjs --worker; sleep 1`,
    ),
    own(
      'script-named-test-worker',
      'a worker.',
      `${IDLE}; cp job.cjs test-worker.js; bg job node test-worker.js`,
    ),
    own(
      'script-named-hls',
      'cuts a stream into segments.',
      `${IDLE}; cp job.cjs hls.cjs; bg job node hls.cjs`,
    ),
    own('script-named-metals', 'polls prices.', `${SLEEPS} > metals.py; bg job python3 metals.py`, [
      'python3',
    ]),
    own('script-named-reflex', 'an own tool.', `${SLEEPS} > reflex.py; bg job python3 reflex.py`, [
      'python3',
    ]),
    own(
      'jest-with-two-workers',
      'a test run in which a test waits.',
      `echo '{"jest":{}}' > package.json
for one in a b; do echo 'test("x", () => new Promise((done) => setTimeout(done, 1e8)), 1e9)' > $one.test.js; done
bg run jest -w 2; sleep 6`,
      ['jest'],
    ),
    own(
      'compiled-go-test',
      'a soak test.',
      `${GO_TEST}; go test -c -o soak.test .; bg job ./soak.test -test.timeout=0`,
      ['go'],
    ),
    own(
      'nohup-entr-with-a-list',
      'runs a command when a file changes; the list of files has ended.',
      `echo > f; ls f | nohup entr -n true > log 2>&1 & sleep 1; track watcher $(pgrep -nf 'entr -n true'); quiet log`,
      ['entr', 'pgrep'],
    ),
    own(
      'nohup-tsc-with-a-log',
      'Node resets the signals that nohup ignores.',
      `${TSC}; bg watcher nohup tsc -w > tsc.log 2>&1; sleep 3; quiet tsc.log`,
      ['tsc'],
    ),
    own(
      'inotifywait-into-a-loop',
      'a loop handles each new file.',
      `mkdir in; inotifywait -m in | xargs -n1 echo & sleep 1; track watcher $(pgrep -nf 'inotifywait -m in')`,
      ['inotifywait', 'pgrep'],
    ),
    own(
      'language-server-over-tcp',
      'editors connect to its port.',
      `bg server pylsp --tcp --port $PORT; listening`,
      ['pylsp'],
    ),
    keep(
      'tool-server-over-http-from-a-terminal',
      { stage: 'hangup', needs: ['playwright-mcp'] },
      'Started by hand with a port; agents connect from time to time.',
      `set -m; bg server playwright-mcp --port $PORT; disown; listening`,
    ),
    keep(
      'own-tool-server-with-a-port-in-its-environment',
      { stage: 'hangup' },
      'The same with a server of a project.',
      `mkdir my-mcp; echo 'require("http").createServer(() => {}).listen(process.env.P, "127.0.0.1")' > my-mcp/index.js
set -m; P=$PORT bg server node my-mcp/index.js; disown; listening`,
    ),
    eligible(
      'own-tool-server-in-a-project',
      { stage: 'orphan' },
      'A tool server of a project; its agent was killed.',
      `mkdir -p my-mcp-server/dist; echo 'setInterval(() => {}, 1e8)' > my-mcp-server/dist/index.js
bg server setsid node my-mcp-server/dist/index.js; sleep 1`,
    ),
  ],
};
