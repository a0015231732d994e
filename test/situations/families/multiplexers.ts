import { keep, type Family, type Situation } from '../situation.ts';

/** A program in a detached tmux session, which a person attaches to later. */
const inTmux = (id: string, why: string, command: string, needs: readonly string[] = []): Situation =>
  keep(
    `tmux-${id}`,
    { stage: 'detached', needs: ['tmux', ...needs] },
    why,
    `tmux -S $DIR/socket -f /dev/null new-session -d -s work "${command}"
until_true tmux -S $DIR/socket has-session
track server $(tmux -S $DIR/socket display -p '#{pid}')
track pane $(tmux -S $DIR/socket display -p '#{pane_pid}')
sleep 1`,
  );

/** Detached terminal sessions: no terminal is open, yet a person returns to them. */
export const multiplexers: Family = {
  name: 'multiplexers',
  situations: [
    inTmux('idle-shell', 'A shell at its prompt in a detached session.', 'bash --norc'),
    inTmux('vim', 'An editor in a detached session.', 'vim notes.txt', ['vim']),
    inTmux('tail', 'A person follows a log in a detached session.', 'touch app.log; tail -f app.log'),
    inTmux('python-repl', 'An interpreter holds the variables of a person.', 'python3 -i -c x=1'),
    inTmux('watch', 'A dashboard in a detached session.', 'watch -n 30 date', ['watch']),
    inTmux('htop', 'A monitor in a detached session.', 'htop -d 50', ['htop']),
    inTmux('ssh-like-shell', 'A nested login shell at its prompt.', 'bash --norc -c bash'),
    inTmux('node-repl', 'An interpreter in a detached session.', 'node'),
    inTmux(
      'dev-server',
      'A development server that a person started in tmux.',
      'http-server -a 127.0.0.1 -p $PORT',
      ['http-server'],
    ),
    keep(
      'screen-detached-shell',
      { stage: 'detached', needs: ['screen'] },
      'A detached screen session with a shell.',
      `export SCREENDIR=$DIR/screens; mkdir -m 700 $SCREENDIR
screen -dmS work bash --norc
sleep 1
track server $(ls $SCREENDIR | sed 's/\\..*//')`,
    ),
    keep(
      'screen-detached-job',
      { stage: 'detached', needs: ['screen'] },
      'A long job in a detached screen session.',
      `export SCREENDIR=$DIR/screens; mkdir -m 700 $SCREENDIR
screen -dmS job bash -c 'while :; do date; sleep 20; done'
sleep 1
track server $(ls $SCREENDIR | sed 's/\\..*//')`,
    ),
    keep(
      'dtach-session',
      { stage: 'detached', needs: ['dtach'] },
      'A detached session of dtach.',
      `dtach -n $DIR/socket bash --norc\nuntil_true test -S $DIR/socket
track server $(grep -l "$DIR/socket" /proc/[0-9]*/cmdline | head -1 | cut -d/ -f3)`,
    ),
  ],
};
