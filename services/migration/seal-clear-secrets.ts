import { sealedCollections } from '../connection/sealed';
import { rotateSecrets } from '../storage/sealing/rotation';
import type { Migration } from './migrate';

/**
 * Encrypts the secrets that versions without `DOCLOOM_CONNECTION_KEYS` stored in clear. Encrypted ones keep their key. The
 * position is `<collection>/<last id>`.
 */
export const sealClearSecrets: Migration = {
  version: 1,
  name: 'encrypt secrets stored in clear',
  run: async (mongo, { position = '/', save }) => {
    const [lastCollection = '', ...idParts] = position.split('/');
    const lastId = idParts.join('/');
    const found = sealedCollections.findIndex(({ collection }) => collection === lastCollection);
    for (const [index, sealed] of sealedCollections.slice(Math.max(0, found)).entries()) {
      const after = index === 0 && lastId !== '' ? lastId : undefined;
      await rotateSecrets(mongo, [sealed], {
        onlyClear: true,
        after,
        onPage: (pageEnd) => save(`${sealed.collection}/${pageEnd}`),
      });
    }
  },
};
