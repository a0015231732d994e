/** `scheme://user@host:port/path` */
const URL_FORM = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]*)(?::\d+)?\/(.*)$/iu;
/** `user@host:path`, as in scp. */
const SCP_FORM = /^(?:[^@/:]+@)?([^/:]+):(?!\/\/)(.*)$/u;

/**
 * The address of a remote without what differs between clones: protocol, user, port and ending. It has no credentials. A remote on this
 * machine is its path.
 */
export function normalizeRemote(url: string): string {
  const [, host, path] = URL_FORM.exec(url) ?? SCP_FORM.exec(url) ?? [undefined, '', url];
  const plain = path
    .replace(/\/+$/u, '')
    .replace(/\.git$/u, '')
    .replace(/\/+$/u, '');
  if (host === '') return /^[a-z][a-z0-9+.-]*:\/\//iu.test(url) ? `/${plain}` : plain;
  return `${host.toLowerCase()}/${plain.replace(/^\/+/u, '')}`;
}
