/** A platform that the executable is built for, and its npm package. */
export interface Platform {
  readonly name: string;
  readonly os: 'linux' | 'darwin';
  readonly cpu: 'x64' | 'arm64';
  /** Only Linux has more than one C library. */
  readonly libc?: 'glibc' | 'musl';
  /** The CPU architecture in the names of archives. */
  readonly archiveArch: string;
  /** The npm package with bun for that platform, which is the runtime of the executable. */
  readonly bunPackage: string;
  readonly bunTarget: string;
}

export const PLATFORMS: readonly Platform[] = [
  platform('linux', 'x64', 'glibc'),
  platform('linux', 'x64', 'musl'),
  platform('linux', 'arm64', 'glibc'),
  platform('linux', 'arm64', 'musl'),
  platform('darwin', 'arm64'),
  platform('darwin', 'x64'),
];

export function findPlatform(name: string): Platform {
  const found = PLATFORMS.find((candidate) => candidate.name === name);
  if (found !== undefined) return found;
  throw new Error(
    `Unknown platform "${name}". Use one of: ${PLATFORMS.map((each) => each.name).join(', ')}.`,
  );
}

function platform(os: Platform['os'], cpu: Platform['cpu'], libc?: Platform['libc']): Platform {
  const suffix = libc === 'musl' ? '-musl' : '';
  return {
    name: `${os}-${cpu}${suffix}`,
    os,
    cpu,
    archiveArch: `${cpu}${suffix}`,
    ...(libc !== undefined && { libc }),
    bunPackage: `@oven/bun-${os}-${cpu === 'arm64' ? 'aarch64' : cpu}${suffix}`,
    bunTarget: `bun-${os}-${cpu}${suffix}`,
  };
}
