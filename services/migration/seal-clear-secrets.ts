import { sealedCollections } from '../connection/sealed';
import { rotateSecrets } from '../storage/rotation';
import type { Migration } from './migrate';

/**
 * Encrypts the secrets that versions without `DOCLOOM_CONNECTION_KEYS` stored in clear. Encrypted ones stay under their key. The position is
 * `<collection>/<last id>`.
 */
export const sealClearSecrets: Migration = {
  version: 1,
  name: 'encrypt secrets stored in clear',
  run: async (mongo, { position = '/', save }) => {
    const [last = '', ...id] = position.split('/');
    const from = Math.max(
      0,
      sealedCollections.findIndex(({ collection }) => collection === last),
    );
    for (const [index, sealed] of sealedCollections.slice(from).entries()) {
      const after = index === 0 && id.join('/') !== '' ? id.join('/') : undefined;
      await rotateSecrets(mongo, [sealed], {
        onlyClear: true,
        after,
        onPage: (lastId) => save(`${sealed.collection}/${lastId}`),
      });
    }
  },
};
