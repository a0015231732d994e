import { abandoned, eligible, keep, type Family, type Situation } from '../situation.ts';

/** Node servers that ignore the end of their input, as leaked ones do. */
const HANGS = 'NODE_OPTIONS="--require $PROGRAMS/keep-alive.cjs" ';
const PY_HANGS = 'KEEP_ALIVE=1 PYTHONPATH=$PROGRAMS/python ';

const NODE_SERVERS: readonly (readonly [string, string, string])[] = [
  ['typescript', 'typescript-language-server', '--stdio'],
  ['pyright', 'pyright-langserver', '--stdio'],
  ['bash', 'bash-language-server', 'start'],
  ['yaml', 'yaml-language-server', '--stdio'],
  ['json', 'vscode-json-language-server', '--stdio'],
  ['docker', 'docker-langserver', '--stdio'],
];
const NATIVE_SERVERS: readonly (readonly [string, string, string])[] = [
  ['go', 'gopls', 'serve'],
  ['c', 'clangd', '--log=error'],
  ['python', 'pylsp', ''],
];

const living = ([id, program, args]: readonly [string, string, string]): Situation =>
  keep(
    `${id}-language-server-editor-lives`,
    { stage: 'owner', needs: [program] },
    'The editor lives and holds its pipes.',
    `bg server ${program} ${args}; sleep 2`,
  );

const adopted = ([id, program, args]: readonly [string, string, string]): Situation =>
  keep(
    `${id}-language-server-owner-is-not-the-parent`,
    { stage: 'owner', needs: [program] },
    'Its parent is init, because its wrapper has ended; the editor lives and holds the other end of its pipes.',
    `adopt server setsid ${program} ${args}; sleep 2`,
  );

const hanging = ([id, program, args]: readonly [string, string, string]): Situation =>
  eligible(
    `${id}-language-server-editor-dead`,
    { stage: 'orphan', needs: [program] },
    'The editor was killed; the server did not notice the end of its input.',
    `${HANGS}bg server setsid ${program} ${args}; sleep 2`,
  );

/** A writer of its own input was leaked into the server itself, so the input never ends. */
const leaked = ([id, program, args]: readonly [string, string, string]): Situation =>
  abandoned(
    `${id}-language-server-leaked-pipe`,
    { stage: 'orphan', needs: [program] },
    'The editor was killed, but the server inherited the writing end of its own input and waits indefinitely.',
    `mkfifo in; exec 5<>in; exec 9<&5; bg server setsid ${program} ${args}; sleep 2`,
  );

export const languageServers: Family = {
  name: 'language servers',
  situations: [
    ...[...NODE_SERVERS.slice(0, 4), ...NATIVE_SERVERS].map(living),
    ...[...NODE_SERVERS.slice(0, 2), ...NATIVE_SERVERS.slice(0, 2)].map(adopted),
    ...NODE_SERVERS.map(hanging),
    eligible(
      'python-language-server-editor-dead',
      { stage: 'orphan', needs: ['pylsp'] },
      'The editor was killed; a thread keeps the server running.',
      `${PY_HANGS}bg server setsid pylsp; sleep 3`,
    ),
    eligible(
      'jedi-language-server-editor-dead',
      { stage: 'orphan', needs: ['jedi-language-server'] },
      'The editor was killed; a thread keeps the server running.',
      `${PY_HANGS}bg server setsid jedi-language-server; sleep 3`,
    ),
    ...NATIVE_SERVERS.slice(0, 2).map(leaked),
  ],
};
