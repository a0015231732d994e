import {
  openFirstLibrary,
  SYMBOL_NAMES,
  SYMBOLS,
  type NativeCall,
  type NativeLibrary,
  type NativeType,
} from './symbols.ts';

type BunCall = (...values: readonly (number | bigint | Uint8Array)[]) => number | bigint;

/** The part of `bun:ffi` that is used here; its own types would include all of Bun's. */
interface BunFfi {
  readonly dlopen: (
    name: string,
    symbols: Readonly<Record<string, { readonly args: readonly string[]; readonly returns: string }>>,
  ) => { readonly symbols: Readonly<Record<string, BunCall>> };
  readonly read: { readonly i32: (pointer: number | bigint, offset: number) => number };
}

const TYPES: Readonly<Record<NativeType, string>> = { int: 'i32', long: 'i64', bytes: 'ptr' };

/** Loads the C library in the executable, which runs on Bun. */
export async function loadWithBun(): Promise<NativeLibrary> {
  // Computed, so that bundlers do not try to resolve it: only Bun has this module.
  const module = `bun:${'Bun' in globalThis ? 'ffi' : 'nothing'}`;
  const { dlopen, read } = (await import(module)) as BunFfi;
  const declared = SYMBOL_NAMES.map((name) => {
    const { parameters, returns } = SYMBOLS[name];
    return [name, { args: parameters.map((type) => TYPES[type]), returns: TYPES[returns] }] as const;
  });
  const symbols = openFirstLibrary((name) =>
    dlopen(name, { ...Object.fromEntries(declared), __errno_location: { args: [], returns: 'ptr' } }),
  ).symbols;
  // Looked up once, so that nothing runs between a call and reading errno.
  const errnoPointer = named(symbols, '__errno_location')();
  const calls = SYMBOL_NAMES.map((name): [string, NativeCall] => {
    const call = named(symbols, name);
    return [
      name,
      (...values) => {
        const value = Number(call(...values));
        return { value, errno: value === -1 ? read.i32(errnoPointer, 0) : 0 };
      },
    ];
  });
  return Object.fromEntries(calls) as NativeLibrary;
}

function named(symbols: Readonly<Record<string, BunCall>>, name: string): BunCall {
  const call = symbols[name];
  if (call === undefined) throw new Error(`The C library has no ${name}.`);
  return call;
}
