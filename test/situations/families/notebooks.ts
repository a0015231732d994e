import { keep, type Family } from '../situation.ts';

const LAB =
  'jupyter lab --allow-root --no-browser --ServerApp.ip=127.0.0.1 --ServerApp.port=$PORT --IdentityProvider.token=x';
const KERNEL = 'curl -sf -X POST -H "Authorization: token x" http://127.0.0.1:$PORT/api/kernels';

/** Notebooks and interpreters: they hold variables that exist nowhere else. */
export const notebooks: Family = {
  name: 'notebooks',
  situations: [
    keep(
      'jupyter-lab-with-nohup',
      { stage: 'hangup', needs: ['jupyter-lab'] },
      'A notebook server on loopback; its browser tab is closed for the night.',
      `bg server nohup ${LAB} > lab.log 2>&1; listening; quiet lab.log`,
    ),
    keep(
      'jupyter-kernel-idle',
      { stage: 'detached', needs: ['jupyter-lab', 'curl'] },
      'An idle kernel holds the variables of a person.',
      `bg server setsid ${LAB} >/dev/null 2>&1; listening; until_true ${KERNEL}; child_of server ipykernel; sleep 2`,
    ),
    keep(
      'jupyter-kernel-server-restarted',
      { stage: 'orphan', needs: ['jupyter-kernel'] },
      'A kernel of its own for later clients.',
      'bg kernel setsid jupyter-kernel --kernel=python3; child_of kernel ipykernel; sleep 2',
    ),
    keep(
      'ipython-on-terminal',
      { stage: 'terminal', needs: ['ipython'] },
      'An interpreter with its terminal open.',
      'bg repl ipython; sleep 2',
    ),
    keep(
      'python-repl-on-terminal',
      { stage: 'terminal', needs: ['python3'] },
      'An interpreter with its terminal open.',
      'bg repl python3 -i; sleep 0.5',
    ),
    keep(
      'node-repl-on-terminal',
      { stage: 'terminal' },
      'An interpreter with its terminal open.',
      'bg repl node; sleep 0.5',
    ),
    keep(
      'bc-on-terminal',
      { stage: 'terminal', needs: ['bc'] },
      'A calculator with its terminal open.',
      'bg repl bc; sleep 0.5',
    ),
    keep(
      'sqlite-shell-on-terminal',
      { stage: 'terminal', needs: ['sqlite3'] },
      'A database shell with its terminal open.',
      'bg repl sqlite3 data.db; sleep 0.5',
    ),
    keep(
      'python-interpreter-of-a-living-agent',
      { stage: 'owner', needs: ['python3'] },
      'An agent keeps an interpreter for its next question.',
      'bg repl python3 -i -q; sleep 0.5',
    ),
  ],
};
