/**
 * Estimates the tokens of a text from above, without the tables of a tokenizer, which would take longer to load than a brief to build.
 * Tokenizers divide a text at changes of case, at digits and at symbols; ordinary words are one or two tokens.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += tokensOf(piece);
  return Math.ceil(tokens);
}

/** A code of letters and digits, a word of one case, digits, a run of one symbol, white space, or any other character. */
const PIECES = /(?=[A-Za-z+/]{0,12}\d)[A-Za-z\d+/]{8,}|[A-Z]?[a-z]+|[A-Z]+|\d+|([^\w\s])\1*|_+|\s+|./gsu;

function tokensOf(piece: string): number {
  const code = piece.codePointAt(0) ?? 0;
  if (code > 0x2ff) return wideTokens(piece, code);
  if (/[A-Za-z]\d|\d[A-Za-z]/u.test(piece)) return piece.length * 0.75;
  if (/^[A-Za-z]/u.test(piece)) return wordTokens(piece);
  if (/^\d/u.test(piece)) return Math.ceil(piece.length / 3);
  // A single space belongs to the word after it.
  if (/^\s/u.test(piece)) return piece === ' ' ? 0 : Math.ceil(piece.length / 8);
  return Math.ceil(piece.length / 4);
}

function wordTokens(word: string): number {
  const upper = word === word.toUpperCase();
  if (word.length <= 2) return upper ? 0.9 : 0.8;
  if (upper) return Math.ceil(word.length / 2.5);
  if (word.length > 3 && !/[aeiouy]/iu.test(word)) return word.length / 1.8;
  return word.length <= 7 ? 1.15 : word.length / 5;
}

/** Most letters of other scripts are about one token each; symbols such as emoji are up to three. */
function wideTokens(piece: string, code: number): number {
  const characters = Array.from(piece).length;
  if (code < 0x2000) return characters * 0.7;
  if (code < 0x2e80) return characters * 1.5;
  return characters * (code > 0xffff ? 3 : 1.3);
}
