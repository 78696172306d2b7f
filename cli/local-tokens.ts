import type { Config } from '../model/config';
import { createStoreMark } from '../services/installation/marks';
import { createTokens, type Tokens } from '../services/login/tokens';
import { createObjectStore } from '../services/storage/object-store';
import { getSigningSecret } from './signing-secret';

/** Issues tokens like the local api. They contain the installation's id if the data folder holds it. */
export async function createLocalTokens(config: Config, expireMinutes: number): Promise<Tokens> {
  const identity = await readIdentity(config);
  return createTokens({
    secret: getSigningSecret(config),
    expireMinutes,
    audience: config.JWT_AUDIENCE,
    identity: () => identity,
  });
}

/** Does not query a bucket, so that the command works without a network. */
async function readIdentity(config: Config): Promise<string | undefined> {
  if (config.DOCLOOM_STORAGE === 's3') return undefined;
  const store = createObjectStore(config);
  try {
    return await createStoreMark(config, store).read();
  } finally {
    store.close();
  }
}
