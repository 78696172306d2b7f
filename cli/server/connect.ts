import { createClient, type Client } from '../../client';
import { dataFolder } from '../../embedded/paths';
import { readStack } from '../../embedded/stack-file';
import { readConfig } from '../../model/config';
import { AppError } from '../../model/errors';
import { defaultUser } from '../connect';
import { localTokens } from '../local-tokens';
import { readLogin } from './logins';

/** An api to call as a user. */
export interface Server {
  address: string;
  /** The bearer token of `client`. */
  token: string;
  client: Client;
}

/** The api to call: `server` names a remote one. `user` works only on this machine, where the signing key is readable. */
export interface ServerChoice {
  server?: string;
  user?: string;
}

/** Help text of the option for a remote api. */
export const serverFlag = [
  '--server <address>',
  'API of another machine, after `docloom login`; default: DOCLOOM_SERVER, else the `docloom up` here',
] as const;

/** The address of the requested remote api; undefined for the local one. */
export function remoteAddress({ server }: ServerChoice): string | undefined {
  const address = (server ?? process.env['DOCLOOM_SERVER'])?.trim();
  if (!address) return undefined;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new AppError('VALIDATION_ERROR', `'${address}' is no address of an API; expected http(s)://HOST[:PORT].`);
  return address.replace(/\/+$/, '');
}

/** Connects to the requested api with the token of the stored login, or on this machine with a new token for the user. */
export async function connectServer(choice: ServerChoice): Promise<Server> {
  const remote = remoteAddress(choice);
  if (remote !== undefined) return connectRemote(remote, choice);
  const dataDir = dataFolder(process.env);
  const running = await readStack(dataDir);
  if (!running)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `Docloom does not run in ${dataDir}: start it with \`docloom up\`, set DOCLOOM_DATA to the folder of another, or name the API of another machine with --server.`,
    );
  const config = readConfig({ ...process.env, ...running.env });
  const tokens = await localTokens(config, 60);
  // Anyone who can read the key is an administrator of this installation. A token for a named user has only that user's rights.
  const groups = choice.user === undefined ? [...config.DOCLOOM_ADMIN_GROUPS] : [];
  const token = tokens.issue({ username: choice.user ?? defaultUser(), email: '', full_name: '', groups });
  return { address: running.apiAddress, token, client: createClient({ baseUrl: running.apiAddress, token }) };
}

function connectRemote(address: string, { user }: ServerChoice): Server {
  if (user !== undefined)
    throw new AppError('VALIDATION_ERROR', '--user and --server exclude each other: the login decides who asks.');
  const token = process.env['DOCLOOM_TOKEN']?.trim() || readLogin(address)?.token;
  if (!token)
    throw new AppError('UNAUTHORIZED', `You are not logged in at ${address}. Do: docloom login --server ${address}`);
  return { address, token, client: createClient({ baseUrl: address, token }) };
}

/** True for an address of this machine, which needs no network. */
export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
