import { useEffect, useRef, useState } from 'preact/hooks';
import { type CallError, read } from './api.ts';
import type { Reads } from './commands.ts';
import { onChanges, type Changes } from './live.ts';
import { createRequestLoop } from './request-loop.ts';
import { noteFailure } from './session.ts';

/** The commands that answer page by page. */
type Paged = {
  [C in keyof Reads]: Reads[C] extends {
    readonly input: { readonly cursor?: string };
    readonly output: { readonly items: readonly unknown[]; readonly next_cursor: string | null };
  }
    ? C
    : never;
}[keyof Reads];

export type ItemOf<C extends Paged> = Reads[C]['output']['items'][number];

export interface Pages<T> {
  /** What was read so far; undefined until the first page. */
  readonly items: readonly T[] | undefined;
  /** The number of rows on all pages, where the command knows it. */
  readonly total: number | undefined;
  readonly hasMore: boolean;
  readonly error: CallError | undefined;
  /** Reads the next page, unless one is being read. */
  readonly loadMore: () => void;
  /** Changes what was read, such as one row that was read again. */
  readonly update: (change: (items: readonly T[]) => readonly T[]) => void;
}

interface PagesOptions<T> {
  readonly keyOf: (item: T) => string;
  /** After such a change the first page is read again. */
  readonly isAffected: (changes: Changes) => boolean;
  /** Whether all pages are read, one after the other. */
  readonly readsAll?: boolean;
  /** Whether the first page, read again, replaces everything: for short lists whose rows can disappear. */
  readonly isReplaced?: boolean;
}

interface State<T> extends Pick<Pages<T>, 'items' | 'total' | 'hasMore' | 'error'> {
  readonly key: string;
}

/** Reads the pages of a command: all of them, or the next one on request. Without parameters nothing is read. */
export function usePages<C extends Paged>(
  command: C,
  parameters: Reads[C]['input'] | undefined,
  options: PagesOptions<ItemOf<C>>,
): Pages<ItemOf<C>> {
  type Item = ItemOf<C>;
  const key = parameters === undefined ? undefined : JSON.stringify([command, parameters]);
  const [state, setState] = useState<State<Item>>();
  const actions = useRef<Pick<Pages<Item>, 'loadMore' | 'update'>>(IDLE);
  useEffect(() => {
    if (key === undefined || parameters === undefined) return;
    const reader = createPageReader<Item>({
      readPage: (cursor, signal) =>
        read(command, { ...parameters, ...(cursor !== null && { cursor }) }, signal),
      keyOf: options.keyOf,
      readsAll: options.readsAll === true,
      isReplaced: options.isReplaced === true,
      onState: (next) => setState({ key, ...next }),
    });
    actions.current = reader;
    reader.start();
    const end = onChanges((changes) => {
      if (changes === undefined || options.isAffected(changes)) reader.refresh();
    });
    return () => {
      end();
      reader.stop();
    };
    // The key stands for command and parameters.
  }, [key]);
  const current = state?.key === key ? state : undefined;
  return {
    items: current?.items,
    total: current?.total,
    hasMore: current?.hasMore ?? false,
    error: current?.error,
    loadMore: () => actions.current.loadMore(),
    update: (change) => actions.current.update(change),
  };
}

const IDLE = { loadMore: () => undefined, update: () => undefined };

interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

interface PageReaderOptions<T> {
  readonly readPage: (cursor: string | null, signal: AbortSignal) => Promise<Page<T>>;
  readonly keyOf: (item: T) => string;
  readonly readsAll: boolean;
  readonly isReplaced: boolean;
  readonly onState: (state: Omit<State<T>, 'key'>) => void;
}

interface PageReader<T> extends Pick<Pages<T>, 'loadMore' | 'update'> {
  readonly start: () => void;
  readonly refresh: () => void;
  readonly stop: () => void;
}

function createPageReader<T>(options: PageReaderOptions<T>): PageReader<T> {
  const { readPage, keyOf, readsAll, isReplaced, onState } = options;
  const controller = new AbortController();
  let items: readonly T[] | undefined;
  let cursor: string | null = null;
  let total: number | undefined;
  let isReading = false;
  const show = (error?: CallError): void => onState({ items, total, hasMore: cursor !== null, error });
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
      show();
    } catch (error) {
      if (!controller.signal.aborted) show(noteFailure(error));
    }
  };
  const readNext = async (): Promise<boolean> => {
    const page = await readPage(cursor, controller.signal);
    items = mergeRows(items ?? [], page.items, keyOf);
    [cursor, total] = [page.next_cursor, page.total ?? total];
    return !readsAll || cursor === null;
  };
  const loadMore = async (): Promise<void> => {
    if (isReading || (items !== undefined && cursor === null)) return;
    isReading = true;
    await attempt(async () => {
      let isLast = await readNext();
      while (!isLast) {
        show();
        isLast = await readNext();
      }
    });
    isReading = false;
  };
  const loop = createRequestLoop(async (signal) => {
    // The first page is not read yet and will include the change.
    if (items === undefined) return;
    await attempt(async () => {
      const page = await readPage(null, signal);
      items = isReplaced ? page.items : mergeRows(page.items, items ?? [], keyOf);
      if (page.next_cursor === null) cursor = null;
      total = page.total ?? total;
    });
  });
  return {
    start: () => void loadMore(),
    loadMore: () => void loadMore(),
    refresh: loop.request,
    update: (change) => {
      items = change(items ?? []);
      show();
    },
    stop: () => {
      controller.abort();
      loop.stop();
    },
  };
}

/** Appends the rows whose keys are new. */
export function mergeRows<T>(
  first: readonly T[],
  second: readonly T[],
  keyOf: (item: T) => string,
): readonly T[] {
  const known = new Set(first.map(keyOf));
  return [...first, ...second.filter((item) => !known.has(keyOf(item)))];
}
