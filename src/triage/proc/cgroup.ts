/** The cgroup of a process. */
export interface Cgroup {
  /** The path in version 2; otherwise in systemd's hierarchy of version 1, otherwise the longest path of version 1. Empty for the root. */
  readonly path: string;
  readonly container: string | null;
}

const CONTAINER =
  /(?:docker|libpod|cri-containerd|crio|containerd|lxc|machine)[-/:]([0-9a-zA-Z_.-]+?)(?:\.scope)?(?:\/|$)|(?:^|\/)([0-9a-f]{64})(?:\/|$)/u;

export function parseCgroup(text: string): Cgroup {
  const paths: { controllers: string; path: string }[] = [];
  for (const line of text.split('\n')) {
    const first = line.indexOf(':');
    const second = line.indexOf(':', first + 1);
    if (first < 0 || second < 0) continue;
    const path = line.slice(second + 1);
    if (path.startsWith('/') && path !== '/')
      paths.push({ controllers: line.slice(first + 1, second), path });
  }
  const best =
    paths.find(({ controllers }) => controllers === '') ??
    paths.find(({ controllers }) => controllers === 'name=systemd') ??
    paths.toSorted((a, b) => b.path.length - a.path.length || (a.path < b.path ? -1 : 1))[0];
  const container = paths.map(({ path }) => CONTAINER.exec(path)).find((match) => match !== null);
  return { path: best?.path ?? '', container: container?.[1] ?? container?.[2] ?? null };
}
