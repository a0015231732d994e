import {
  openFirstLibrary,
  SYMBOL_NAMES,
  SYMBOLS,
  type NativeCall,
  type NativeLibrary,
  type NativeType,
} from './symbols.ts';

const TYPES: Readonly<Record<NativeType, string>> = { int: 'int', long: 'int64_t', bytes: 'void *' };

/** Loads the C library under Node. */
export async function loadWithKoffi(): Promise<NativeLibrary> {
  const { default: koffi } = await import('koffi');
  const library = openFirstLibrary((name) => koffi.load(name));
  const calls = SYMBOL_NAMES.map((name): [string, NativeCall] => {
    const { parameters, returns } = SYMBOLS[name];
    const call = library.func(
      name,
      TYPES[returns],
      parameters.map((type) => TYPES[type]),
    );
    return [
      name,
      (...values) => {
        const value = Number(call(...values));
        return { value, errno: value === -1 ? koffi.errno() : 0 };
      },
    ];
  });
  return Object.fromEntries(calls) as NativeLibrary;
}
