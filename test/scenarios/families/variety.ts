import { NULL_STREAMS } from '../process-spec.ts';
import { count, type Scenario } from '../scenario.ts';

/** Programs that serve the process that started them. */
const OWNED = [
  'node /opt/mcp-server-github',
  'python3 -m mcp_server_git',
  'npm exec @modelcontextprotocol/server-memory',
  'uvx mcp-server-fetch',
  'node /opt/typescript-language-server --stdio',
  'gopls -mode=stdio',
  'rust-analyzer',
  'clangd --background-index',
  'pylsp',
  'node /x/node_modules/typescript/lib/tsserver.js',
  'node /x/node_modules/jest-worker/build/workers/processChild.js',
  'node (vitest 7)',
  'python3 -c from execnet import x',
  'tsc --watch',
  'nodemon app.js',
  'esbuild --watch',
];

/** Programs that are used by others, or work on their own. */
const INDEPENDENT = [
  'vim notes.md',
  'emacs --daemon',
  'code --wait',
  'sqlite3 notes.db',
  'mysqld_safe',
  'jupyter-lab --no-browser',
  'python3 -m ipykernel_launcher',
  'java -jar jenkins.war',
  'java GradleDaemon 8.5',
  'bazel(project)',
  'cargo build --release',
  'go build ./...',
  'make -j8',
  'rsync -a src dst',
  'curl -O https://example.org/file',
  'restic backup /home',
  'tar czf backup.tgz .',
  'ffmpeg -i in.mp4 out.mp4',
  'python train.py --epochs 90',
  'python3 -m pytest tests -q',
  'node server.js',
  'node /srv/app/dist/index.js',
  'ruby bin/rails server',
  'php artisan queue:work',
  'uvicorn app:api',
  'celery -A jobs worker',
  'caddy-local run',
  'python3 -m http.server 8000',
  'next dev',
  'vite preview',
  'apt-get upgrade -y',
  'pip install -r requirements.txt',
  'npm install',
  'docker compose up',
  'kubectl port-forward svc/x 8080',
  'ssh -N -L 5432:db:5432 host',
  'syncthing serve',
  'firefox --new-window',
  'spotify',
  'soffice.bin --writer',
  'gdb -p 1',
  'htop',
  'less README.md',
  'claude',
  'codex exec',
  'backup-agent --every 1h',
  'my-service --config /etc/x.toml',
  'sidecar-proxy',
];

/** Many kinds of programs in the situations in which they run usefully; all of them are kept. */
export const VARIETY: readonly Scenario[] = [
  family('under a living parent', [...OWNED, ...INDEPENDENT], { redirect: '' }),
  family('under a living parent without streams', [...OWNED, ...INDEPENDENT], { redirect: NULL_STREAMS }),
  family('in their own sessions under a living parent', [...OWNED, ...INDEPENDENT], {
    redirect: '',
    setsid: true,
  }),
  background('in the background without streams', NULL_STREAMS),
  background('in the background with a log', '</dev/null >>LOG 2>&1'),
  background('as daemons', NULL_STREAMS, true),
  background('started with nohup', '</dev/null >>LOG 2>&1', false, "trap '' HUP\n"),
];

function family(
  situation: string,
  names: readonly string[],
  options: { readonly redirect: string; readonly setsid?: true },
): Scenario {
  return {
    name: `programs ${situation}`,
    family: `variety ${situation}`,
    truth: { parent: 'useful', [`program*${names.length}`]: 'useful' },
    run: async ({ run, background: start }, own) => {
      const children = count(names.length).map((index) =>
        start(own(`program${index}`), { name: names[index - 1] ?? '', ...options }),
      );
      await run(`${start(own('parent'), { name: 'bash start-all.sh', children })} wait`);
    },
  };
}

function background(situation: string, redirect: string, setsid = false, before = ''): Scenario {
  return {
    name: `programs ${situation}`,
    family: `variety ${situation}`,
    truth: { [`program*${INDEPENDENT.length}`]: 'useful' },
    run: async ({ run, background: start, folder }, own) => {
      const log = `${folder}/${own('log')}`;
      const processes = INDEPENDENT.map((name, index) =>
        start(own(`program${index + 1}`), {
          name,
          redirect: redirect.replace('LOG', `${log}${index}`),
          ...(setsid && { setsid }),
        }),
      );
      await run(`${before}${processes.join('\n')}`, { streams: 'null' });
    },
  };
}
