import { once } from 'node:events';
import type { Scenario } from '../scenario.ts';

const family = 'terminals';

/** Processes on terminals. */
export const TERMINALS: readonly Scenario[] = [
  {
    name: 'an idle shell on a terminal',
    family,
    needs: 'script',
    truth: { shell: 'useful' },
    run: async ({ run, background }, own) => {
      await run(`${background(own('shell'), { name: '-bash' })} wait`, { terminal: true });
    },
  },
  {
    name: 'a paused job on a terminal',
    family,
    needs: 'script',
    truth: { shell: 'useful', job: 'useful' },
    run: async ({ run, background, pidOf }, own) => {
      const job = background(own('job'), { name: 'make -j8' });
      await run(`${background(own('shell'), { name: '-zsh', children: [job] })} wait`, { terminal: true });
      process.kill(await pidOf(own('job')), 'SIGSTOP');
    },
  },
  {
    name: 'an editor with an unsaved file',
    family,
    needs: 'script',
    truth: { editor: 'useful' },
    run: async ({ run, background }, own) => {
      await run(`${background(own('editor'), { name: 'vim notes.md', does: 'hold-file' })} wait`, {
        terminal: true,
      });
    },
  },
  {
    name: 'vim on a terminal',
    family,
    needs: 'vim',
    truth: { editor: 'useful' },
    run: async ({ run, folder }, own) => {
      const file = `${folder}/${own('editor')}`;
      await run(`echo $BASHPID > ${file}; exec vim -n -u NONE ${folder}/text`, {
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
    run: async ({ run, background, folder }, own) => {
      const socket = `${folder}/${own('socket')}`;
      const shell = (label: string): string => `${background(own(label), { name: '-bash' })} wait`;
      const panes = ['first', 'second'].map(
        (label) => `cat > ${folder}/${own(label)}.pane <<'END'\n${shell(label)}\nEND`,
      );
      await run(
        `${panes.join('\n')}\ntmux -S ${socket} -f /dev/null new-session -d "bash ${folder}/${own('first')}.pane"\ntmux -S ${socket} new-window -d "bash ${folder}/${own('second')}.pane"`,
        { streams: 'null', env: { TMUX: '' } },
      );
    },
  },
  {
    name: 'processes of a closed terminal',
    family,
    needs: 'script',
    truth: { pager: 'abandoned', repl: 'abandoned' },
    run: async ({ run, background, pidOf }, own) => {
      const processes = [
        background(own('pager'), { name: 'less big.log' }),
        background(own('repl'), { name: 'python -i' }),
      ];
      const terminal = await run(`trap '' HUP\n${processes.join('\n')} wait`, { terminal: true });
      await pidOf(own('pager'));
      await pidOf(own('repl'));
      terminal.kill('SIGKILL');
      await once(terminal, 'exit');
    },
  },
  {
    name: 'a remote shell: streams to a running parent, no terminal',
    family,
    truth: { shell: 'useful', command: 'useful' },
    run: async ({ run, background }, own) => {
      const command = background(own('command'), { name: 'tail -f app.log', does: 'tick' });
      await run(`${background(own('shell'), { name: 'bash -s', children: [command] })} wait`);
    },
  },
];
