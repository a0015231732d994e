import { once } from 'node:events';
import type { Scenario } from '../scenario.ts';

const family = 'terminals';

/** What people have open. */
export const TERMINALS: readonly Scenario[] = [
  {
    name: 'an idle shell on a terminal',
    family,
    needs: 'script',
    truth: { shell: 'useful' },
    play: async ({ play, part }, own) => {
      await play(`${part(own('shell'), { name: '-bash' })} wait`, { terminal: true });
    },
  },
  {
    name: 'a paused job on a terminal',
    family,
    needs: 'script',
    truth: { shell: 'useful', job: 'useful' },
    play: async ({ play, part, pidOf }, own) => {
      const job = part(own('job'), { name: 'make -j8' });
      await play(`${part(own('shell'), { name: '-zsh', children: [job] })} wait`, { terminal: true });
      process.kill(await pidOf(own('job')), 'SIGSTOP');
    },
  },
  {
    name: 'an editor with an unsaved file',
    family,
    needs: 'script',
    truth: { editor: 'useful' },
    play: async ({ play, part }, own) => {
      await play(`${part(own('editor'), { name: 'vim notes.md', does: 'hold-file' })} wait`, {
        terminal: true,
      });
    },
  },
  {
    name: 'a real editor on a terminal',
    family,
    needs: 'vim',
    truth: { editor: 'useful' },
    play: async ({ play, folder }, own) => {
      const file = `${folder}/${own('editor')}`;
      await play(`echo $BASHPID > ${file}; exec vim -n -u NONE ${folder}/text`, {
        terminal: true,
        env: { TERM: 'xterm' },
      });
    },
  },
  {
    name: 'a multiplexer with two shells',
    family,
    needs: 'tmux',
    truth: { first: 'useful', second: 'useful' },
    play: async ({ play, part, folder }, own) => {
      const socket = `${folder}/${own('socket')}`;
      const shell = (label: string): string => `${part(own(label), { name: '-bash' })} wait`;
      const panes = ['first', 'second'].map(
        (label) => `cat > ${folder}/${own(label)}.pane <<'END'\n${shell(label)}\nEND`,
      );
      await play(
        `${panes.join('\n')}\ntmux -S ${socket} -f /dev/null new-session -d "bash ${folder}/${own('first')}.pane"\ntmux -S ${socket} new-window -d "bash ${folder}/${own('second')}.pane"`,
        { streams: 'null', env: { TMUX: '' } },
      );
    },
  },
  {
    name: 'what outlived a terminal that was closed',
    family,
    needs: 'script',
    truth: { pager: 'abandoned', repl: 'abandoned' },
    play: async ({ play, part, pidOf }, own) => {
      const parts = [part(own('pager'), { name: 'less big.log' }), part(own('repl'), { name: 'python -i' })];
      const terminal = await play(`trap '' HUP\n${parts.join('\n')} wait`, { terminal: true });
      await pidOf(own('pager'));
      await pidOf(own('repl'));
      terminal.kill('SIGKILL');
      await once(terminal, 'exit');
    },
  },
  {
    name: 'a remote shell: streams to a living parent, no terminal',
    family,
    truth: { shell: 'useful', command: 'useful' },
    play: async ({ play, part }, own) => {
      const command = part(own('command'), { name: 'tail -f app.log', does: 'tick' });
      await play(`${part(own('shell'), { name: 'bash -s', children: [command] })} wait`);
    },
  },
];
