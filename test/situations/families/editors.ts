import { keep, type Family } from '../situation.ts';

/** Editors and viewers on terminals. */
export const editors: Family = {
  name: 'editors',
  situations: [
    keep(
      'vim-on-terminal',
      { stage: 'terminal', needs: ['vim'] },
      'An editor with its terminal open.',
      'bg editor vim notes.txt',
    ),
    keep(
      'vim-in-recorded-terminal-after-reconnect',
      { stage: 'detached', needs: ['vim', 'script'] },
      'The program that holds its terminal lost its front end; the swap file holds unsaved text.',
      `bg terminal setsid script -qfc "vim -c 'set updatecount=1' -c 'call setline(1, \\"unsaved\\")' -c preserve notes.txt" /dev/null
track editor $(child_of terminal notes.txt)
until_true test -e .notes.txt.swp`,
    ),
    keep(
      'nano-on-terminal',
      { stage: 'terminal', needs: ['nano'] },
      'An editor with its terminal open.',
      'TERM=xterm bg editor nano notes.txt',
    ),
    keep(
      'emacs-on-terminal',
      { stage: 'terminal', needs: ['emacs'] },
      'An editor with its terminal open.',
      'TERM=xterm bg editor emacs -nw -Q notes.txt',
    ),
    keep(
      'emacs-daemon',
      { stage: 'detached', needs: ['emacs'] },
      'A daemon that keeps the buffers of a person; clients come and go.',
      'bg editor setsid emacs -Q --fg-daemon=deed-test >/dev/null 2>&1\nsleep 2',
    ),
    keep(
      'vim-stopped-by-job-control',
      { stage: 'terminal', needs: ['vim'] },
      'Stopped with Ctrl-Z; the shell lives and fg continues it.',
      'bg editor vim notes.txt\nsleep 1\nkill -STOP $(cat $DIR/editor.pid)',
    ),
    keep(
      'nano-stopped-by-job-control',
      { stage: 'terminal', needs: ['nano'] },
      'Stopped with Ctrl-Z with unsaved text; the shell lives.',
      'TERM=xterm bg editor nano notes.txt\nsleep 1\nkill -STOP $(cat $DIR/editor.pid)',
    ),
    keep(
      'less-on-terminal',
      { stage: 'terminal', needs: ['less'] },
      'A person reads a long file.',
      'seq 100000 > long.txt; bg viewer less long.txt',
    ),
    keep(
      'tig-on-terminal',
      { stage: 'terminal', needs: ['tig', 'git'] },
      'A person browses a repository.',
      'git init -q .; git -c user.name=a -c user.email=a@b commit -qm x --allow-empty; TERM=xterm bg viewer tig',
    ),
    keep(
      'git-commit-waits-for-editor',
      { stage: 'terminal', needs: ['git', 'vim'] },
      'A commit waits for its message.',
      'git init -q .; bg commit env GIT_EDITOR=vim git -c user.name=a -c user.email=a@b commit --allow-empty\nsleep 1',
    ),
    keep(
      'file-manager-on-terminal',
      { stage: 'terminal', needs: ['mc'] },
      'An interactive program with its terminal open.',
      'TERM=xterm bg manager mc',
    ),
    keep(
      'crontab-editor-under-shell',
      { stage: 'terminal', needs: ['nano'] },
      'An editor below sudo-like wrappers is still in use.',
      `TERM=xterm bg wrapper sh -c 'nano schedule.txt; true'`,
    ),
  ],
};
