/**
 * How commands of a run are confined, from the strongest to the weakest. `bubblewrap` and `namespace` give a command its own view of
 * the machine; `landlock` denies access to the real one; `none` needs the consent of the caller.
 */
export type Isolation = 'bubblewrap' | 'namespace' | 'landlock' | 'none';

/** The isolations that confine commands, in the order in which they are tried. */
export const CONFINING = ['bubblewrap', 'namespace', 'landlock'] as const;

export type Confining = (typeof CONFINING)[number];

/** Whether commands see the workspace at the path of the tree. */
export function isMounted(isolation: Isolation): isolation is 'bubblewrap' | 'namespace' {
  return isolation === 'bubblewrap' || isolation === 'namespace';
}

/** What an isolation does not prevent, for previews and receipts. */
export function isolationGaps(
  isolation: Isolation,
  machine: { readonly scopedSignals: boolean },
): readonly string[] {
  if (isolation === 'none')
    return ['Commands run unsandboxed: they can read, write and reach everything that this account can.'];
  if (isolation !== 'landlock') return [];
  return [
    'Landlock does not prevent commands from changing mode, owner, times and attributes of files of this account.',
    'Landlock does not prevent connections to Unix sockets of this machine, such as that of Docker.',
    'Processes of this machine are visible, and limits and priorities of those of this account can be changed.',
    ...(machine.scopedSignals
      ? []
      : ['This kernel does not prevent signals to processes of this account, nor abstract Unix sockets.']),
  ];
}
