import { isIP } from 'node:net';
import type { ImapFlow } from 'imapflow';
import { AppError } from '../../../model/errors';
import type { ImapSourceSettings } from '../../../model/source/imap-source';
import type { AddressGuard } from '../../net/address-guard';

const connectMs = 20_000;
/** A server may keep the connection open and never answer. */
const silenceMs = 60_000;
/** Large enough for the list of all message numbers in a folder. */
const maxResponseBytes = 64 * 1024 * 1024;

/** The client collects the answers to a command in memory, however many there are. */
const maxAnswerBytes = 16 * 1024 * 1024;
/** Envelopes of messages with many recipients are longer. */
export const maxFetchedBytes = 64 * 1024 * 1024;
const maxAnswerMs = 10 * 60_000;
const watchMs = 20;
/** Codes of the client for answers over its limits. */
const excessCodes: readonly (string | undefined)[] = [
  'TooManyResponses',
  'LiteralTooLarge',
  'ResponseTooLarge',
  'LineTooLarge',
];

/** The name of the server in messages. */
export function formatPlace({ host, port }: Pick<ImapSourceSettings, 'host' | 'port'>): string {
  return `The mail server ${host}:${port}`;
}

/**
 * Signs in at the checked address of the server. Unless security is `none`, nothing is sent before the connection is encrypted
 * with a valid certificate for `host`. Closes when the signal aborts.
 */
export async function connectImap(
  settings: ImapSourceSettings,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<ImapFlow> {
  const { host, port, security, username, password, token } = settings;
  if (host === '' || username === undefined)
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'imap needs host and username.');
  signal.throwIfAborted();
  const { ImapFlow: Client } = await import('imapflow').catch((error: unknown) => {
    const message = 'Reading mail needs the optional package imapflow, which is not installed.';
    throw new AppError('OPTIONAL_PACKAGE_MISSING', message, {}, error);
  });
  const [first] = await guard.judge(host, port).catch((error: unknown) => {
    throw toImapError(error, settings, 'be reached');
  });
  const client = new Client({
    // The checked address, not the name, which could resolve differently a moment later.
    host: first?.address ?? '',
    // A certificate is for a name, or for the address itself.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    port,
    secure: security === 'tls',
    doSTARTTLS: security === 'starttls',
    auth: { user: username, ...(token === undefined ? { pass: password ?? '' } : { accessToken: token }) },
    // Its log would contain names of folders and senders.
    logger: false,
    clientInfo: { name: 'docloom' },
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    maxResponseSize: maxResponseBytes,
  });
  // Every call rejects with the same error; without a listener, the process would end.
  client.on('error', () => undefined);
  const close = () => client.close();
  signal.addEventListener('abort', close, { once: true });
  client.once('close', () => signal.removeEventListener('abort', close));
  try {
    await limitAnswer(client, settings, () => client.connect());
    return client;
  } catch (error) {
    client.close();
    signal.throwIfAborted();
    throw toImapError(error, settings, 'be reached');
  }
}

/**
 * The result of a command. Closes the connection and throws INVALID_RESPONSE if the server sends more, or takes longer, than any honest
 * answer needs.
 */
export async function limitAnswer<T>(
  client: ImapFlow,
  settings: ImapSourceSettings,
  send: () => Promise<T>,
  maxBytes = maxAnswerBytes,
): Promise<T> {
  const start = { ms: performance.now(), bytes: client.stats().received };
  let isExceeded = false;
  const timer = setInterval(() => {
    const isLong = performance.now() - start.ms > maxAnswerMs;
    if (!isLong && client.stats().received - start.bytes <= maxBytes) return;
    isExceeded = true;
    client.close();
  }, watchMs);
  try {
    return await send();
  } catch (error) {
    throw isExceeded ? createExcessError(settings, error) : error;
  } finally {
    clearInterval(timer);
  }
}

function createExcessError(settings: ImapSourceSettings, error: unknown): AppError {
  const message = `${formatPlace(settings)} sent more than the answer to any command needs, or did not end it within ${maxAnswerMs / 60_000} minutes.`;
  return new AppError('INVALID_RESPONSE', message, {}, error);
}

interface ImapFailure {
  authenticationFailed?: boolean;
  responseStatus?: string;
  serverResponseCode?: string;
  throttleReset?: number;
  code?: string;
  message?: string;
}

/**
 * Converts an error of the client: a rejected sign-in, a refused command (SOURCE_NOT_ALLOWED), or an unavailable server.
 * Servers quote commands in their messages, so only codes are passed on.
 */
export function toImapError(error: unknown, settings: ImapSourceSettings, action: string): AppError {
  if (error instanceof AppError) return error;
  const place = formatPlace(settings);
  const { authenticationFailed, responseStatus, serverResponseCode, throttleReset, code } = (error ??
    {}) as ImapFailure;
  const word = [serverResponseCode, code].find((item) => /^[A-Z][A-Z0-9_-]{1,40}$/i.test(item ?? ''));
  const reason = word === undefined ? '' : ` (${word})`;
  if (excessCodes.includes(code)) return createExcessError(settings, error);
  if (code === 'ETHROTTLE')
    return new AppError('CONNECTION_ERROR', `${place} asks to wait.`, { retryAfterMs: throttleReset ?? 60_000 }, error);
  if (authenticationFailed)
    return new AppError('SOURCE_SIGN_IN_FAILED', `${place} does not accept these credentials${reason}.`);
  if (responseStatus === 'NO' || responseStatus === 'BAD')
    return new AppError('SOURCE_NOT_ALLOWED', `${place} does not let the account ${action}${reason}.`);
  return new AppError('CONNECTION_ERROR', `${place} cannot be reached${reason}.`, {}, error);
}
