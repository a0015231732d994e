import { abandoned, eligible, keep, reviewOnly, type Family, type Situation } from '../situation.ts';

const HANGS = 'NODE_OPTIONS="--require $PROGRAMS/keep-alive.cjs" ';
const PY_HANGS = 'KEEP_ALIVE=1 PYTHONPATH=$PROGRAMS/python ';

const SERVERS: readonly (readonly [string, string, string])[] = [
  ['memory', 'mcp-server-memory', ''],
  ['filesystem', 'mcp-server-filesystem', '$DIR'],
  ['everything', 'mcp-server-everything', 'stdio'],
  ['sequential-thinking', 'mcp-server-sequential-thinking', ''],
  ['context7', 'context7-mcp', ''],
];
const PYTHON_SERVERS: readonly (readonly [string, string, string])[] = [
  ['time', 'mcp-server-time', ''],
  ['fetch', 'mcp-server-fetch', ''],
  ['git', 'mcp-server-git', ''],
];

const living = ([id, program, args]: readonly [string, string, string]): Situation =>
  keep(
    `mcp-${id}-agent-lives`,
    { stage: 'owner', needs: [program] },
    'A tool server of an agent that lives.',
    `bg server ${program} ${args}; sleep 2`,
  );

const dead =
  (variables: string) =>
  ([id, program, args]: readonly [string, string, string]): Situation =>
    eligible(
      `mcp-${id}-agent-dead`,
      { stage: 'orphan', needs: [program] },
      'A tool server whose agent was killed; its input has ended.',
      `${variables}bg server setsid ${program} ${args}; sleep 2`,
    );

/** Tool servers on standard streams. */
export const toolServers: Family = {
  name: 'tool servers',
  situations: [
    ...[...SERVERS.slice(0, 4), ...PYTHON_SERVERS.slice(0, 2)].map(living),
    keep(
      'mcp-memory-wrapper-ended-agent-lives',
      { stage: 'owner', needs: ['mcp-server-memory'] },
      'Its parent is init, but the agent lives and holds the other end of its pipes.',
      'adopt server setsid mcp-server-memory; sleep 2',
    ),
    keep(
      'mcp-filesystem-under-npm-exec',
      { stage: 'owner', needs: ['mcp-server-filesystem', 'npm'] },
      'The usual chain of npm exec, shell and server below a living agent.',
      `bg chain npm exec --offline -c 'mcp-server-filesystem "$DIR"'; child_of chain 'bin/mcp-server-filesystem'; sleep 1`,
    ),
    keep(
      'mcp-everything-over-http',
      { stage: 'detached', needs: ['mcp-server-everything'] },
      'The same program as a shared server on all addresses.',
      'PORT=$PORT bg server setsid mcp-server-everything streamableHttp >/dev/null 2>&1; listening',
    ),
    ...SERVERS.map(dead(HANGS)),
    ...PYTHON_SERVERS.map(dead(PY_HANGS)),
    eligible(
      'mcp-filesystem-npm-exec-agent-dead',
      { stage: 'orphan', needs: ['mcp-server-filesystem', 'npm'] },
      'A whole chain of npm exec, shell and server whose agent was killed.',
      `${HANGS}bg chain setsid npm exec --offline -c 'mcp-server-filesystem "$DIR"'; track server $(child_of chain 'bin/mcp-server-filesystem'); sleep 1`,
    ),
    eligible(
      'mcp-memory-terminal-closed',
      { stage: 'hangup', needs: ['mcp-server-memory'] },
      'The terminal of its agent was closed, and the agent with it.',
      `${HANGS}bg server setsid mcp-server-memory; sleep 2`,
    ),
    abandoned(
      'mcp-memory-leaked-pipe',
      { stage: 'orphan', needs: ['mcp-server-memory'] },
      'The agent is dead, but the server inherited the writing end of its own input.',
      'mkfifo in; exec 5<>in; exec 9<&5; bg server setsid mcp-server-memory; sleep 2',
    ),
    reviewOnly(
      'mcp-superseded-generations',
      { stage: 'owner', needs: ['mcp-server-memory'] },
      'A living agent starts a new server for every conversation and keeps the old ones.',
      `for one in 1 2 3 4 5 6 7; do bg generation$one mcp-server-memory; sleep 0.5; done
mv generation7.pid _newest.pid`,
    ),
    reviewOnly(
      'mcp-superseded-pairs',
      { stage: 'owner', needs: ['mcp-server-filesystem', 'mcp-server-time'] },
      'Five generations of two servers under one living agent.',
      `for one in 1 2 3 4 5; do for kind in a b; do mkfifo $kind$one; exec {writer}<>$kind$one; done
exec 9<a$one; bg old-a$one mcp-server-filesystem $DIR; exec 9<b$one; bg old-b$one mcp-server-time; sleep 0.3; done
mv old-a5.pid _new-a.pid; mv old-b5.pid _new-b.pid`,
    ),
  ],
};
