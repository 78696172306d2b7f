import { readDataFolder } from '../../embedded/paths';
import { describeSilence, readStack } from '../../embedded/stack-file';
import { readConfig } from '../../model/config';
import { AppError } from '../../model/errors';
import { getDefaultUser } from '../connect';
import { connectRemote, findRemoteAddress, type Server, createServer, type ServerChoice } from './remote';

/** Help text of the option for a remote api. */
export const serverFlag = [
  '--server <address>',
  'API of another machine, after `docloom login`; default: DOCLOOM_SERVER, else the `docloom up` here',
] as const;

/** Connects to the requested api with the token of the stored login, or on this machine with a new token for the user. */
export async function connectServer(choice: ServerChoice): Promise<Server> {
  const remote = findRemoteAddress(choice);
  if (remote !== undefined) return connectRemote(remote, choice);
  const dataDir = readDataFolder(process.env);
  const running = await readStack(dataDir);
  if (!running) throw new AppError('SERVICE_UNAVAILABLE', describeSilence(dataDir));
  const config = readConfig({ ...process.env, ...running.env });
  const { createLocalTokens } = await import('../local-tokens');
  const tokens = await createLocalTokens(config, 60);
  // Anyone who can read the key is an administrator of this installation. A token for a named user has only that user's rights.
  const groups = choice.user === undefined ? [...config.DOCLOOM_ADMIN_GROUPS] : [];
  const token = tokens.issue({ username: choice.user ?? getDefaultUser(), email: '', full_name: '', groups });
  return createServer(running.apiAddress, token);
}
