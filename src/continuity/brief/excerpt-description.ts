import { headAndTail } from './head-and-tail.ts';

/** The heading of the part of a description that defines when the task is done. */
const ACCEPTANCE =
  /^[\s#*_-]*(?:acceptance|done when|definition of done|success criteria|exit criteria)\b/imu;

/** Shortens the description of a task; its acceptance criteria are kept before anything else. */
export function excerptDescription(description: string, length: number): string {
  if (description.length <= length) return description;
  const start = description.search(ACCEPTANCE);
  if (start < 0) return headAndTail(description, length);
  const criteria = headAndTail(
    description.slice(start).split(/\n\s*\n(?=\s*#)/u)[0] ?? '',
    Math.ceil(length * 0.6),
  );
  return `${headAndTail(description.slice(0, start).trimEnd(), length - criteria.length)}\n${criteria}`;
}
