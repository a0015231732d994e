import { quoteForShell } from '../../../base/quote-for-shell.ts';

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
  /** Whether folders of the lower layers can be renamed: the kernel then writes their old path into the upper folder. */
  readonly redirects?: boolean;
}

/** The descriptor on which bubblewrap reports its namespace. */
export const INFO_DESCRIPTOR = 4;

/** Metadata-only copies would make the upper folder unreadable without the mount. */
const OPTIONS = 'metacopy=off,index=off';

/** Renders the script of the new mount namespace: mounts, then execs bubblewrap, so that there is no intermediate process. */
export function renderMountScript(
  mounts: readonly OverlayMount[],
  mount: string,
  options: { readonly userxattr: boolean; readonly maxFileBytes?: number },
): string {
  return [
    'set -e',
    ...renderOverlays(mounts, mount, options),
    ...renderSizeLimit(options.maxFileBytes),
    // Bubblewrap closes the descriptor of its report in the sandbox, where descriptor 3 is still needed.
    `exec "$@" ${INFO_DESCRIPTOR}>&3`,
  ].join('\n');
}

/** Renders the commands that mount overlays. */
export function renderOverlays(
  mounts: readonly OverlayMount[],
  mount: string,
  options: { readonly userxattr: boolean },
): readonly string[] {
  return mounts.flatMap((overlay) => {
    const lower = overlay.middle === undefined ? overlay.lower : `${overlay.middle}:${overlay.lower}`;
    const redirects = `redirect_dir=${overlay.redirects === true ? 'on' : 'nofollow'}`;
    const flags = `lowerdir=${lower},upperdir=${overlay.upper},workdir=${overlay.work},${redirects},${OPTIONS}`;
    return [
      `${mount} --rbind ${quoteForShell(overlay.source)} ${overlay.lower}`,
      `${mount} -t overlay overlay -o ${flags}${options.userxattr ? ',userxattr' : ''} ${overlay.merged}`,
    ];
  });
}

/** Limits the size of files; the unit of ulimit is 512 bytes. */
export function renderSizeLimit(maxFileBytes: number | undefined): readonly string[] {
  return maxFileBytes === undefined ? [] : [`ulimit -f ${Math.max(1, Math.ceil(maxFileBytes / 512))}`];
}
