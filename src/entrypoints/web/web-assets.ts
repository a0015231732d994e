/** A file of the pages, compressed at build time. */
export interface Asset {
  readonly type: string;
  readonly etag: string;
  /** Base64. */
  readonly br: string;
  readonly gzip: string;
}

export interface WebAssets {
  /** Contains `data-theme="auto"` once. */
  readonly html: string;
  /** By path, such as `/assets/main-1a2b3c4d.js`; names contain a hash of the content. */
  readonly files: Readonly<Record<string, Asset>>;
}

declare const __DEED_WEB_ASSETS__: WebAssets;

/** The pages of this build; empty when run from source. */
export const WEB_ASSETS: WebAssets =
  typeof __DEED_WEB_ASSETS__ === 'undefined' ? { html: '', files: {} } : __DEED_WEB_ASSETS__;
