import { AppError } from '../../model/errors';
import { type Sealer, sealedPrefix } from './sealing/sealer';

/** Cursors of paged lists. They hide the key of the last item, which the reader may not be allowed to see. */
export interface PageCursors {
  /** Returns the cursor. `place` names the list and its reader, and must be the same for `open`. */
  seal(key: string, place: string): string;
  /**
   * Returns the key of the item; undefined if the cursor belongs to another place, or its encryption key no longer exists.
   */
  open(cursor: string, place: string): string | undefined;
}

/** Encrypts the keys with the sealer of the stores, so that every api with the same keys can open them. */
export function createPageCursors(sealer: Pick<Sealer, 'seal' | 'open'>): PageCursors {
  return {
    seal: (key, place) => Buffer.from(sealer.seal({ secret: key }, place).secret).toString('base64url'),
    open(cursor, place) {
      const secret = Buffer.from(cursor, 'base64url').toString();
      if (!secret.startsWith(sealedPrefix)) return undefined;
      try {
        return sealer.open({ secret }, place).secret;
      } catch (error) {
        if (error instanceof AppError && error.code === 'INVALID_CONFIGURATION') return undefined;
        throw error;
      }
    },
  };
}
