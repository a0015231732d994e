import { basename, resolve } from 'node:path';
import { sha256 } from '../../system/digest.ts';
import { Fault } from '../../base/fault.ts';
import { readBytesIfPresent } from '../../system/durable-file.ts';
import type { Attachment } from '../conversation.ts';
import { detectMediaType } from './attachment-kinds.ts';
import { download, type DownloadOptions } from './download.ts';

/** Files for a task: those that models receive as files, and the text of the others. */
export interface ReadAttachments {
  readonly attachments: readonly Attachment[];
  readonly texts: readonly string[];
}

export interface AttachmentSource extends Omit<DownloadOptions, 'maxBytes'> {
  /** The base of relative paths. */
  readonly cwd: string;
}

/** The largest image or document that all large providers accept in one request. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;
const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_FILES = 20;

/** Reads files by path and URL. Throws a Fault for a file that is missing, too large, of another type, or at an address that is not public. */
export async function readAttachments(
  given: readonly (string | Attachment)[],
  source: AttachmentSource,
): Promise<ReadAttachments> {
  if (given.length > MAX_FILES)
    throw rejected(`${given.length} files`, `at most ${MAX_FILES} files can be attached`);
  const attachments: Attachment[] = [];
  const texts: string[] = [];
  let total = 0;
  for (const each of given) {
    const { bytes, name } = typeof each === 'string' ? await readFile(each, source) : decode(each);
    total += bytes.length;
    if (total > MAX_TOTAL_BYTES)
      throw rejected(name, `all files together have more than ${MAX_TOTAL_BYTES} bytes`);
    const mediaType = detectMediaType(bytes);
    if (mediaType === undefined) texts.push(frameText(name, readText(bytes, name)));
    else attachments.push({ mediaType, data: bytes.toString('base64'), name });
  }
  return { attachments, texts };
}

/** Adds the text of files to a task. */
export function addTexts(prompt: string, { texts }: ReadAttachments): string {
  return [prompt, ...texts].join('\n\n');
}

interface FileContent {
  readonly bytes: Buffer;
  readonly name: string;
}

async function readFile(given: string, source: AttachmentSource): Promise<FileContent> {
  if (/^[a-z][a-z\d+.-]*:\/\//iu.test(given)) {
    const bytes = await download(given, { ...source, maxBytes: MAX_FILE_BYTES });
    return { bytes, name: basename(URL.parse(given)?.pathname ?? '') || 'file' };
  }
  const path = resolve(source.cwd, given);
  const bytes = readBytesIfPresent(path, MAX_FILE_BYTES);
  if (bytes === undefined) throw rejected(path, 'it does not exist');
  return { bytes, name: basename(path) };
}

function decode({ data, name = 'file' }: Attachment): FileContent {
  return { bytes: Buffer.from(data, 'base64'), name };
}

function readText(bytes: Buffer, name: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw rejected(name, ACCEPTED, error);
  }
  if (text.includes('\0')) throw rejected(name, ACCEPTED);
  if (bytes.length > MAX_TEXT_BYTES)
    throw rejected(name, `it is text of ${bytes.length} bytes; the limit is ${MAX_TEXT_BYTES}`);
  return text;
}

const ACCEPTED = 'it is not a PNG, JPEG, GIF or WebP image, a PDF document, or UTF-8 text';

/** The text cannot close its frame, because it cannot contain its own hash. The same file has the same frame in each request. */
function frameText(name: string, text: string): string {
  const mark = `file-${sha256(text).replace('sha256:', '').slice(0, 16)}`;
  return `<${mark} name=${JSON.stringify(name)}>\n${text}\n</${mark}>`;
}

function rejected(name: string, problem: string, cause?: unknown): Fault {
  return new Fault('E_VALIDATION', `Cannot attach ${name}: ${problem}.`, {
    hint: 'Pass paths or URLs of images, PDF documents or text files.',
    details: { field: 'attach', value: name },
    cause,
  });
}
