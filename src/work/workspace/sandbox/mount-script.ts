/** One overlay: its lower layers, topmost first, and its writable folders, relative to the script's working directory. */
export interface OverlayMount {
  /** A folder of the machine that is bind-mounted at `lower` first, so that its path needs no escaping in the mount options. */
  readonly source: string;
  readonly lower: string;
  /** A layer between `lower` and `upper`. */
  readonly middle?: string;
  readonly upper: string;
  readonly work: string;
  readonly merged: string;
}

/** The descriptor on which bubblewrap reports its namespace. */
export const INFO_DESCRIPTOR = 4;

/** Redirects and metadata-only copies would make the upper folder unreadable without the mount. */
const OPTIONS = 'redirect_dir=nofollow,metacopy=off,index=off';

/** Renders the script of the new mount namespace: mounts, then execs bubblewrap, so that there is no intermediate process. */
export function renderMountScript(
  mounts: readonly OverlayMount[],
  mount: string,
  options: { readonly userxattr: boolean; readonly maxFileBytes?: number },
): string {
  const lines = mounts.flatMap((overlay, index) => {
    const lower = overlay.middle === undefined ? overlay.lower : `${overlay.middle}:${overlay.lower}`;
    const flags = `lowerdir=${lower},upperdir=${overlay.upper},workdir=${overlay.work},${OPTIONS}`;
    return [
      `${mount} --rbind "$${index + 1}" ${overlay.lower}`,
      `${mount} -t overlay overlay -o ${flags}${options.userxattr ? ',userxattr' : ''} ${overlay.merged}`,
    ];
  });
  return [
    'set -e',
    ...lines,
    ...(mounts.length > 0 ? [`shift ${mounts.length}`] : []),
    // The unit of ulimit -f is 512 bytes.
    ...(options.maxFileBytes === undefined
      ? []
      : [`ulimit -f ${Math.max(1, Math.ceil(options.maxFileBytes / 512))}`]),
    // Bubblewrap closes the descriptor of its report in the sandbox, where descriptor 3 is still needed.
    `exec "$@" ${INFO_DESCRIPTOR}>&3`,
  ].join('\n');
}
