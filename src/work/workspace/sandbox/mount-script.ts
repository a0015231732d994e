/** One overlay: what lies below, topmost first, and the folders that take the writes; all relative to where the script runs. */
export interface OverlayMount {
  /** A folder of the machine that is shown as `lower` first, so that no odd character of its path meets the mount options. */
  readonly source: string;
  readonly lower: string;
  /** A layer that lies on `lower` already. */
  readonly middle?: string;
  readonly upper: string;
  readonly work: string;
  readonly merged: string;
}

/** Redirects and metadata-only copies would leave uppers that cannot be read without the mount. */
const OPTIONS = 'redirect_dir=nofollow,metacopy=off,index=off';

/** What runs in the new mount namespace: mounts, then becomes bubblewrap, so that there is no process between it and us. */
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
    // The shell counts in blocks of 512 bytes.
    ...(options.maxFileBytes === undefined
      ? []
      : [`ulimit -f ${Math.max(1, Math.ceil(options.maxFileBytes / 512))}`]),
    'exec "$@"',
  ].join('\n');
}
