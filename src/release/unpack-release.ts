import { gunzip } from 'node:zlib';
import { promisify } from 'node:util';
import { Fault } from '../base/fault.ts';
import { readTar, TarError, type TarFile, type TarLimits } from './read-tar.ts';

/** The content of a release archive. */
export interface UnpackedRelease {
  readonly executable: Buffer;
  readonly skill: readonly SkillFile[];
}

/** One file of the Skill, with its path inside the Skill's folder. */
export interface SkillFile {
  readonly path: string;
  readonly executable: boolean;
  readonly content: Buffer;
}

interface UnpackLimits extends TarLimits {
  /** The total unpacked size. */
  readonly bytes: number;
}

const UNPACK_LIMITS: UnpackLimits = { bytes: 512 * 1024 * 1024, files: 5000, pathBytes: 255 };

export const EXECUTABLE_NAME = 'deed';
export const SKILL_PREFIX = 'skills/deed/';

/** Unpacks a release in memory; unknown files are ignored. */
export async function unpackRelease(
  archive: Buffer,
  name: string,
  limits: UnpackLimits = UNPACK_LIMITS,
): Promise<UnpackedRelease> {
  const files = await readArchive(archive, name, limits);
  const executable = files.find((file) => file.path === EXECUTABLE_NAME);
  const skill = files.filter((file) => file.path.startsWith(SKILL_PREFIX));
  if (executable === undefined || executable.content.length === 0)
    throw rejected(name, `it has no ${EXECUTABLE_NAME}`);
  if (!skill.some((file) => file.path === `${SKILL_PREFIX}SKILL.md`)) throw rejected(name, 'it has no Skill');
  return {
    executable: executable.content,
    skill: skill.map((file) => ({ ...file, path: file.path.slice(SKILL_PREFIX.length) })),
  };
}

async function readArchive(archive: Buffer, name: string, limits: UnpackLimits): Promise<TarFile[]> {
  let unpacked: Buffer;
  try {
    unpacked = await promisify(gunzip)(archive, { maxOutputLength: limits.bytes });
  } catch (error) {
    throw rejected(name, 'it cannot be decompressed within the size limit', error);
  }
  try {
    return readTar(unpacked, limits);
  } catch (error) {
    if (error instanceof TarError) throw rejected(name, error.message, error);
    throw error;
  }
}

function rejected(name: string, reason: string, cause?: unknown): Fault {
  return new Fault('E_INTEGRITY', `The archive ${name} is rejected: ${reason}.`, {
    details: { archive: name, reason },
    cause,
  });
}
