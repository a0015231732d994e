import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { selectImages } from '../attachments/tool-images.ts';
import type { Attachment } from '../conversation.ts';

/** Returns the images of a tool result for models that accept them. */
export function readMcpImages({ content }: CallToolResult): readonly Attachment[] {
  return selectImages(
    (content ?? []).flatMap((block) => {
      if (block.type === 'image') return [block.data];
      return block.type === 'resource' && 'blob' in block.resource ? [block.resource.blob] : [];
    }),
  );
}

/** Renders a tool result as text for a model; other content is described. */
export function renderMcpResult({ content, structuredContent }: CallToolResult): string {
  const blocks = content ?? [];
  if (blocks.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return blocks.map(renderBlock).join('\n');
}

function renderBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`;
    case 'resource_link':
      return `[resource ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
  }
}
