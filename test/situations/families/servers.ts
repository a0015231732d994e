import { keep, type Family } from '../situation.ts';

/** Servers that a person started for others to use. */
export const servers: Family = {
  name: 'servers',
  situations: [
    keep(
      'python-http-server-for-others',
      { stage: 'hangup', needs: ['python3'] },
      'Started with nohup on all addresses, for colleagues.',
      'bg server nohup python3 -m http.server $PORT > server.log 2>&1; listening; quiet server.log',
    ),
    keep(
      'node-server-for-others-null-streams',
      { stage: 'detached' },
      'Listens on all addresses; its log is discarded.',
      `echo "require('node:http').createServer((q,r)=>r.end('ok')).listen(+process.argv[2],'0.0.0.0')" > server.cjs
bg server setsid node server.cjs $PORT; listening`,
    ),
    keep(
      'python-http-server-with-client',
      { stage: 'orphan', needs: ['python3'] },
      'On loopback, with a client that holds a connection.',
      `bg server setsid python3 -m http.server --bind 127.0.0.1 $PORT; listening
bg client setsid python3 -c "import socket,time; s=socket.create_connection(('127.0.0.1',$PORT)); time.sleep(1e6)"`,
    ),
    keep(
      'nginx',
      { stage: 'detached', needs: ['nginx'] },
      'A web server with its workers.',
      `printf 'daemon off; pid nginx.run; error_log stderr; events {} http { access_log off; server { listen 127.0.0.1:%s; } }' $PORT > nginx.conf
bg server setsid nginx -p $DIR -c $DIR/nginx.conf >/dev/null 2>&1; listening`,
    ),
    keep(
      'caddy',
      { stage: 'detached', needs: ['caddy'] },
      'A file server on all addresses.',
      'bg server setsid caddy file-server --listen :$PORT --root $DIR >/dev/null 2>&1; listening',
    ),
    keep(
      'lighttpd',
      { stage: 'detached', needs: ['lighttpd'] },
      'A web server on all addresses.',
      `printf 'server.document-root = "%s"\\nserver.port = %s\\n' $DIR $PORT > lighttpd.conf
bg server setsid lighttpd -D -f lighttpd.conf >/dev/null 2>&1; listening`,
    ),
    keep(
      'http-server-for-others',
      { stage: 'hangup', needs: ['http-server'] },
      'A file server of npm on all addresses, for a telephone in the same network.',
      'set -m; bg server http-server -p $PORT > server.log 2>&1; listening; quiet server.log',
    ),
    keep(
      'vite-with-living-owner',
      { stage: 'owner', needs: ['vite'] },
      'A development server whose agent lives.',
      'echo "<p>x" > index.html; bg server vite --port $PORT --host 127.0.0.1; listening',
    ),
    keep(
      'vite-detached-with-browser',
      { stage: 'orphan', needs: ['vite'] },
      'Its agent has ended, but a browser tab keeps its connection for updates.',
      `echo "<p>x" > index.html; bg server setsid vite --port $PORT --host 127.0.0.1; listening
bg _tab setsid python3 -c "import socket,time; s=socket.create_connection(('127.0.0.1',$PORT)); time.sleep(1e6)"; sleep 1`,
    ),
    keep(
      'json-server-on-terminal',
      { stage: 'terminal', needs: ['json-server'] },
      'A mock server in a terminal that is open.',
      `echo '{"items":[]}' > db.json; bg server json-server --port $PORT db.json; listening`,
    ),
    keep(
      'flask-with-nohup',
      { stage: 'hangup', needs: ['flask'] },
      'A small web application for the team.',
      `echo 'from flask import Flask; app = Flask(__name__)' > app.py
bg server nohup flask --app app run --host 0.0.0.0 --port $PORT > flask.log 2>&1; listening; quiet flask.log`,
    ),
    keep(
      'uvicorn-with-nohup',
      { stage: 'hangup', needs: ['uvicorn'] },
      'A model server that others call; nothing was logged for days.',
      `printf 'async def app(scope, receive, send):\\n    pass\\n' > app.py
bg server nohup uvicorn app:app --lifespan off --host 0.0.0.0 --port $PORT > uvicorn.log 2>&1; listening; quiet uvicorn.log`,
    ),
    keep(
      'socat-relay-in-use',
      { stage: 'detached', needs: ['socat', 'python3'] },
      'A relay between two living programs.',
      `bg server setsid python3 -m http.server --bind 127.0.0.1 $PORT >/dev/null 2>&1; listening
bg relay setsid socat TCP-LISTEN:$((PORT + 1)),bind=127.0.0.1,fork TCP:127.0.0.1:$PORT
until_true port_is_open $((PORT + 1))
bg client setsid python3 -c "import socket,time; s=socket.create_connection(('127.0.0.1',$((PORT + 1)))); time.sleep(1e6)"; sleep 1`,
    ),
    keep(
      'ssh-tunnel-in-background',
      { stage: 'detached', needs: ['sshd', 'ssh', 'ssh-keygen'] },
      'A tunnel with a connection to its server; started with -f.',
      `ssh-keygen -qt ed25519 -N '' -f key; cp key.pub authorized; chmod 600 authorized; mkdir -p /run/sshd
bg _sshd setsid $(command -v sshd) -D -f /dev/null -o Port=$PORT -o ListenAddress=127.0.0.1 -h $DIR/key -o AuthorizedKeysFile=$DIR/authorized -o StrictModes=no -o PidFile=none -o UsePAM=no -E sshd.log
listening
bg tunnel setsid ssh -N -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i key -p $PORT -L 127.0.0.1:$((PORT + 1)):127.0.0.1:$PORT root@127.0.0.1 >/dev/null 2>&1
until_true port_is_open $((PORT + 1))`,
    ),
    keep(
      'pm2-application',
      { stage: 'detached', needs: ['pm2'] },
      'An application under the pm2 daemon.',
      `export PM2_HOME=$DIR/.pm2
echo "require('node:http').createServer((q,r)=>r.end('ok')).listen($PORT,'127.0.0.1')" > app.cjs
pm2 start app.cjs >/dev/null 2>&1; listening; track daemon $(cat .pm2/pm2.pid); track app $(cat .pm2/pids/*)`,
    ),
    keep(
      'supervisord-program',
      { stage: 'detached', needs: ['supervisord'] },
      'A program that supervisord restarts.',
      `printf '[supervisord]\\npidfile=%s/s.run\\nlogfile=/dev/null\\nlogfile_maxbytes=0\\n[program:web]\\ncommand=python3 -m http.server --bind 127.0.0.1 %s\\n' $DIR $PORT > s.conf
bg supervisor setsid supervisord -n -c s.conf >/dev/null 2>&1; listening`,
    ),
    keep(
      'ruby-tcp-server',
      { stage: 'detached', needs: ['ruby'] },
      'A self-made server on all addresses.',
      `bg server setsid ruby -rsocket -e 's = TCPServer.new("0.0.0.0", ENV["PORT"].to_i); loop { s.accept.close }'; listening`,
    ),
    keep(
      'concurrently-with-living-owner',
      { stage: 'terminal', needs: ['concurrently', 'http-server'] },
      'Two servers below one runner in an open terminal.',
      'bg runner concurrently "http-server -a 127.0.0.1 -p $PORT" "http-server -a 127.0.0.1 -p $((PORT + 1))"; listening',
    ),
  ],
};
