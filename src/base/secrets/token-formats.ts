import { lazy } from '../lazy.ts';
import { cloudFormats } from './formats/clouds.ts';
import { codeHostFormats } from './formats/code-hosts.ts';
import { modelFormats } from './formats/models.ts';
import { serviceFormats } from './formats/services.ts';
import { shortPrefixFormats } from './formats/short-prefixes.ts';
import { standardFormats } from './formats/standards.ts';
import type { TokenFormat } from './token-format.ts';

/**
 * The formats of keys and tokens. Lengths are lower bounds, well below the real ones, because a truncated token is still a secret; they
 * only have to be long enough that words such as `sk-short` or `task-1` stay.
 */
export const tokenFormats = lazy((): readonly TokenFormat[] => [
  ...codeHostFormats(),
  ...cloudFormats(),
  ...modelFormats(),
  ...serviceFormats(),
  ...standardFormats(),
]);

/** Formats whose substring occurs in many words. */
export const commonFormats = lazy(shortPrefixFormats);
