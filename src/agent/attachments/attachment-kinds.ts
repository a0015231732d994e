import type { Attachment } from '../conversation.ts';

/** What a model may accept besides text. */
export const ATTACHMENT_KINDS = ['image', 'pdf'] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/** The media types that all providers with images accept, by the bytes that their files start with. */
const SIGNATURES: readonly { readonly type: string; readonly start: RegExp }[] = [
  { type: 'image/png', start: /^\x89PNG\r\n\cZ\n/u },
  { type: 'image/jpeg', start: /^\xFF\xD8\xFF/u },
  { type: 'image/gif', start: /^GIF8[79]a/u },
  { type: 'image/webp', start: /^RIFF[^]{4}WEBP/u },
  { type: 'application/pdf', start: /^%PDF-/u },
];
const SIGNATURE_BYTES = 16;

/** Returns the media type by the content, which a name or a header may contradict; undefined if no model accepts it. */
export function detectMediaType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, SIGNATURE_BYTES)).toString('latin1');
  return SIGNATURES.find((signature) => signature.start.test(start))?.type;
}

export function kindOf({ mediaType }: Pick<Attachment, 'mediaType'>): AttachmentKind {
  return mediaType === 'application/pdf' ? 'pdf' : 'image';
}

/** Returns the size of the content, which is base64. */
export function sizeOf({ data }: Pick<Attachment, 'data'>): number {
  return Buffer.byteLength(data, 'base64');
}

/** Describes an attachment in the place of its content. */
export function describeAttachment(attachment: Attachment): string {
  const { mediaType, name } = attachment;
  const title = name === undefined ? mediaType : `${mediaType} ${JSON.stringify(name)}`;
  return `[${kindOf(attachment)} ${title}, ${sizeOf(attachment)} bytes]`;
}

/** Above what providers count for an image at its highest resolution. */
const IMAGE_TOKENS = 3000;
const PDF_BYTES_PER_TOKEN = 32;

/** Estimates the tokens of attachments. */
export function attachmentTokens(attachments: readonly Attachment[] = []): number {
  return attachments
    .map((each) =>
      kindOf(each) === 'image'
        ? IMAGE_TOKENS
        : Math.max(IMAGE_TOKENS, Math.ceil(sizeOf(each) / PDF_BYTES_PER_TOKEN)),
    )
    .reduce((sum, tokens) => sum + tokens, 0);
}
