import { eligible, type Situation } from './situation.ts';

/** What may appear between the plan and the apply. `nothing` is the control: its target must end. */
export const CHANGES = ['client', 'lock', 'write', 'display', 'parent', 'nothing'] as const;
export type Change = (typeof CHANGES)[number];

export const CHANGE_WORDS: Readonly<Record<Change, string>> = {
  client: 'a client connects',
  lock: 'a file lock is taken',
  write: 'a write begins',
  display: 'a display connection opens',
  parent: 'the parent is replaced',
  nothing: 'nothing changes (control)',
};

const HANGS = 'CONTROL=$DIR/control NODE_OPTIONS="--require $PROGRAMS/control.cjs" ';

/** Different programs, so that they are not generations of one server. */
const PROGRAMS: Readonly<Record<Change, string>> = {
  client: 'mcp-server-memory',
  lock: 'mcp-server-filesystem $DIR',
  write: 'mcp-server-everything stdio',
  display: 'mcp-server-sequential-thinking',
  parent: 'mcp-server-filesystem / $DIR',
  nothing: 'context7-mcp',
};

/** The parent of the server becomes another program in place. */
const WRAPPED = `bg wrapper setsid node $PROGRAMS/wrapper.cjs ${PROGRAMS.parent}; until_true test -e server.pid; sleep 2`;

export const targetOf = (change: Change): Situation =>
  eligible(
    change,
    {
      stage: 'orphan',
      needs: [PROGRAMS[change].split(' ')[0] ?? '', ...(change === 'display' ? ['Xvfb'] : [])],
    },
    CHANGE_WORDS[change],
    change === 'parent' ? WRAPPED : `${HANGS}bg server setsid ${PROGRAMS[change]}; sleep 2`,
  );
