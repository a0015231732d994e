import { keep, type Family } from '../situation.ts';

/** Databases, queues and brokers; most of them idle, which is their normal state. */
export const databases: Family = {
  name: 'databases',
  situations: [
    keep(
      'postgres-of-a-project',
      { stage: 'detached', needs: ['initdb', 'pg_ctl', 'setpriv'] },
      'A database that pg_ctl started for a project.',
      `install -d -o postgres -g postgres pg; chmod 755 $DIR/..
run="setpriv --reuid postgres --regid postgres --clear-groups"
$run initdb -D $DIR/pg -A trust >/dev/null
$run pg_ctl -D $DIR/pg -o "-p $PORT -k $DIR/pg -h 127.0.0.1" -l $DIR/pg/log -w start >/dev/null
track server $(head -1 pg/postmaster.pid)`,
    ),
    keep(
      'redis-daemonized',
      { stage: 'detached', needs: ['redis-server'] },
      'A daemon that holds data in memory.',
      'redis-server --port $PORT --daemonize yes --pidfile $DIR/redis.pidfile --dir $DIR >/dev/null; listening; track server $(cat redis.pidfile)',
    ),
    keep(
      'redis-with-nohup',
      { stage: 'hangup', needs: ['redis-server'] },
      'Started by hand with nohup; programs connect from time to time.',
      'bg server nohup redis-server --port $PORT --dir $DIR > redis.log 2>&1; listening; quiet redis.log',
    ),
    keep(
      'mariadb',
      { stage: 'detached', needs: ['mariadbd', 'mariadb-install-db'] },
      'A database server with its data folder in a home folder.',
      `mariadb-install-db --user=root --datadir=$DIR/data --auth-root-authentication-method=normal --skip-test-db >/dev/null 2>&1
bg server setsid mariadbd --no-defaults --user=root --datadir=$DIR/data --socket=$DIR/sql.sock --port=$PORT --bind-address=127.0.0.1 >/dev/null 2>&1
listening`,
    ),
    keep(
      'memcached',
      { stage: 'detached', needs: ['memcached'] },
      'A cache that other programs use.',
      'bg server setsid memcached -u root -l 127.0.0.1 -p $PORT; listening',
    ),
    keep(
      'mosquitto',
      { stage: 'orphan', needs: ['mosquitto'] },
      'A message broker; devices connect to it.',
      'bg server setsid mosquitto -p $PORT; listening',
    ),
    keep(
      'beanstalkd',
      { stage: 'orphan', needs: ['beanstalkd'] },
      'A queue with jobs in memory.',
      'bg server setsid beanstalkd -l 127.0.0.1 -p $PORT; listening',
    ),
    keep(
      'etcd',
      { stage: 'detached', needs: ['etcd'] },
      'A key-value store with a journal.',
      `bg server setsid etcd --data-dir $DIR/data --listen-client-urls http://127.0.0.1:$PORT --advertise-client-urls http://127.0.0.1:$PORT --listen-peer-urls http://127.0.0.1:$((PORT + 1)) >/dev/null 2>&1
listening`,
    ),
    keep(
      'nats-server',
      { stage: 'detached', needs: ['nats-server'] },
      'A message broker on loopback.',
      'bg server setsid nats-server -a 127.0.0.1 -p $PORT >/dev/null 2>&1; listening',
    ),
    keep(
      'sqlite-transaction',
      { stage: 'detached', needs: ['sqlite3'] },
      'Holds the write lock of a database and has uncommitted changes.',
      `mkfifo in; exec 5<>in
exec 9<&5; bg shell setsid sqlite3 data.db
echo 'create table t(x); begin immediate; insert into t values(1);' >&5
until_true test -e data.db-journal`,
    ),
    keep(
      'redis-cli-connected',
      { stage: 'terminal', needs: ['redis-server', 'redis-cli'] },
      'An interactive client with an open connection.',
      'bgn server redis-server --port $PORT --dir $DIR >/dev/null; listening; bg client redis-cli -p $PORT',
    ),
    keep(
      'redis-queue-worker',
      { stage: 'detached', needs: ['redis-server', 'redis-cli'] },
      'A worker waits for the next job of a queue.',
      `bg server setsid redis-server --port $PORT --dir $DIR >/dev/null; listening
bg worker setsid redis-cli -p $PORT blpop jobs 0`,
    ),
  ],
};
