import type pg from 'pg';

const AGAIN_MS = 2000;

/**
 * Receives the notifications of a channel on a separate connection, and connects again when that breaks; what is sent meanwhile is lost.
 * Returns a function that ends this, before the pool is closed. Contract: the name of the channel needs no quotes.
 */
export function listenToChannel(
  pool: pg.Pool,
  channel: string,
  onMessage: (message: string) => void,
): () => void {
  let end = (): void => undefined;
  const listen = async (): Promise<void> => {
    let isOver = false;
    let leave = (): void => undefined;
    // Called by the caller, or at the end of the connection.
    const finish = (waitMs?: number): void => {
      if (isOver) return;
      isOver = true;
      leave();
      if (waitMs === undefined) return;
      const timer = setTimeout(() => void listen(), waitMs);
      end = () => clearTimeout(timer);
    };
    end = () => finish();
    try {
      const client = await pool.connect();
      leave = () => client.release(true);
      if (isOver) return leave();
      client.on('notification', ({ payload = '' }) => {
        if (!isOver) onMessage(payload);
      });
      client.once('end', () => finish(AGAIN_MS));
      await client.query(`LISTEN ${channel}`);
    } catch {
      finish(AGAIN_MS);
    }
  };
  void listen();
  return () => end();
}
