import type { Config } from '../model/config';
import { storeMark } from '../services/installation/marks';
import { createTokens, type Tokens } from '../services/login/tokens';
import { createObjectStore } from '../services/storage/object-store';
import { signingSecret } from './signing-secret';

/** Issues tokens as the api of this machine does. They name the installation if the data folder says which it is. */
export async function localTokens(config: Config, expireMinutes: number): Promise<Tokens> {
  const identity = await identityOf(config);
  return createTokens({
    secret: signingSecret(config),
    expireMinutes,
    audience: config.JWT_AUDIENCE,
    identity: () => identity,
  });
}

/** A bucket is not asked: the command works without a network. */
async function identityOf(config: Config): Promise<string | undefined> {
  if (config.DOCLOOM_STORAGE === 's3') return undefined;
  const store = createObjectStore(config);
  try {
    return await storeMark(config, store).read();
  } finally {
    store.close();
  }
}
