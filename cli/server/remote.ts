import { type Client, type ConversionClient, createClient, createConversionClient } from '../../client';
import { AppError } from '../../model/errors';
import { trimSlashes } from '../../model/trim-slashes';
import { readLogin } from './logins';

/** An api to call as a user. */
export interface Server {
  address: string;
  /** The bearer token of the clients. */
  token: string;
  client: Client;
  conversion: ConversionClient;
}

/** The API to call: `server` names that of another machine. `user` works only on this one, where the signing key is readable. */
export interface ServerChoice {
  server?: string;
  user?: string;
}

/** The address of the requested remote api, without a trailing slash; undefined for the local one. */
export function findRemoteAddress({ server }: ServerChoice): string | undefined {
  const serverUrl = (server ?? process.env['DOCLOOM_SERVER'])?.trim();
  if (!serverUrl) return undefined;
  const url = URL.canParse(serverUrl) ? new URL(serverUrl) : undefined;
  if (url && (url.username !== '' || url.password !== ''))
    throw new AppError(
      'VALIDATION_ERROR',
      `The address ${url.protocol}//…@${url.host} contains a user name or password, which others could read; log in with \`docloom login\`.`,
    );
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new AppError(
      'VALIDATION_ERROR',
      `'${serverUrl}' is not an address of an API; expected http(s)://HOST[:PORT].`,
    );
  return `${url.origin}${trimSlashes(url.pathname)}`;
}

/** Connects to a remote api with DOCLOOM_TOKEN or the token of the stored login. */
export function connectRemote(address: string, { user }: ServerChoice): Server {
  if (user !== undefined)
    throw new AppError('VALIDATION_ERROR', '--user and --server exclude each other: the login determines the user.');
  const tokenText = process.env['DOCLOOM_TOKEN']?.trim();
  // A stored login was made with --allow-http.
  if (tokenText && !isSafeAddress(address))
    throw createUnencryptedError(address, 'Use https, or `docloom login --allow-http`');
  const token = tokenText || readLogin(address)?.token;
  if (!token)
    throw new AppError('UNAUTHORIZED', `You are not logged in at ${address}. Do: docloom login --server ${address}`);
  return createServer(address, token);
}

/** The clients of an api, with a token. */
export function createServer(address: string, token: string): Server {
  const options = { baseUrl: address, token };
  return { address, token, client: createClient(options), conversion: createConversionClient(options) };
}

/** Whether credentials may be sent to an address: it is encrypted, or on this machine. */
export function isSafeAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

/** The error for an address that is not safe. */
export function createUnencryptedError(address: string, advice: string): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    `${address} is not encrypted: others could read your password and token in transit. ${advice}.`,
  );
}
