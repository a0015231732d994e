/**
 * Adds the optional packages of other platforms that npm omitted from package-lock.json. npm drops packages that it cannot install on the
 * current platform, and then `npm ci` rejects the lock file on every platform. Run by `npm run lock` after a change of dependencies.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly license?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  packages: Record<string, LockedPackage>;
}

const SYSTEMS = new Set([
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]);
const PROCESSORS = new Set([
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]);
/** Alternative names of CPU architectures in package names. */
const ALIASES: Readonly<Record<string, string>> = { aarch64: 'arm64', windows: 'win32', armhf: 'arm' };

/** Returns a lock file in which every optional dependency has an entry; existing entries are not changed. */
export function completeLock(lock: Lock): Lock {
  const packages = { ...lock.packages };
  for (const [parent, { optionalDependencies, dev, license }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies ?? {})) {
      const places = [`${parent}/node_modules/${name}`, `node_modules/${name}`];
      const platform = readPlatform(name);
      if (places.some((place) => place in packages) || platform === undefined) continue;
      packages[`node_modules/${name}`] = {
        version,
        ...platform,
        ...(dev && { dev }),
        ...(license && { license }),
        optional: true,
      } as LockedPackage;
    }
  }
  const [root, ...rest] = Object.entries(packages);
  const sorted = rest.sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...lock, packages: Object.fromEntries(root ? [root, ...sorted] : sorted) };
}

/** Parses the platform from the name of a native package; undefined when the name contains none. */
function readPlatform(name: string): Record<string, string[]> | undefined {
  const words = (name.split('/').at(-1) ?? '').split('-').map((word) => ALIASES[word] ?? word);
  const os = words.find((word) => SYSTEMS.has(word));
  const cpu = words.find((word) => PROCESSORS.has(word));
  if (cpu === undefined) return undefined;
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined;
  return { cpu: [cpu], ...(os && { os: [os] }), ...(libc && { libc: [libc] }) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const file = new URL('../package-lock.json', import.meta.url);
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
  writeFileSync(file, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
}
