import type { Attachment } from '../conversation.ts';
import { detectMediaType, sizeOf } from './attachment-kinds.ts';

const MAX_IMAGES = 8;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** Returns the images of a tool response that a model can receive: of a type that providers accept, by their content, and not too large. */
export function selectImages(encoded: readonly string[]): readonly Attachment[] {
  return encoded
    .filter((data) => sizeOf({ data }) <= MAX_IMAGE_BYTES)
    .flatMap((data) => {
      const mediaType = detectMediaType(Buffer.from(data.slice(0, 64), 'base64'));
      return mediaType?.startsWith('image/') === true ? [{ mediaType, data }] : [];
    })
    .slice(0, MAX_IMAGES);
}
