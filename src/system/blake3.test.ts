import { describe, expect, it } from 'vitest';
import { blake3Hex, startBlake3 } from './blake3.ts';

/** The official test vectors: each input repeats the bytes 0 to 250. */
const OFFICIAL: readonly (readonly [number, string])[] = [
  [0, 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'],
  [1, '2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213'],
  [1023, '10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11'],
  [1024, '42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7'],
  [1025, 'd00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444'],
  [2048, 'e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a'],
  [2049, '5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030'],
  [3072, 'b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2'],
  [4096, '015094013f57a5277b59d8475c0501042c0b642e531b0a1c8f58d2163229e969'],
  [8192, 'aae792484c8efe4f19e2ca7d371d8c467ffb10748d8a5a1ae579948f718a2a63'],
  [31744, '62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47'],
  [102400, 'bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085'],
];

const input = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index % 251);

describe('BLAKE3', () => {
  it.each(OFFICIAL)('matches the official vector of %i bytes, hashed whole and in chunks', (length, hash) => {
    const bytes = input(length);
    const running = startBlake3();
    for (let at = 0; at < length; at += 777) running.update(bytes.subarray(at, at + 777));
    expect([blake3Hex(bytes), running.hex()]).toEqual([hash, hash]);
  });

  it('hashes text as its UTF-8 bytes', () => {
    expect(blake3Hex('ünï')).toBe(blake3Hex(Buffer.from('ünï', 'utf8')));
  });
});
