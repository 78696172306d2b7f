import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { ApiError, createClient } from '../../client';
import { AppError } from '../../model/errors';
import { keyPrefix } from '../../services/login/api-keys';
import { type Login, storeLogin, getLoginsFile, readLogin } from './logins';
import { isSafeAddress, findRemoteAddress, createUnencryptedError } from './remote';

interface LoginOptions {
  server?: string;
  user?: string;
  passwordStdin?: boolean;
  tokenStdin?: boolean;
  allowHttp?: boolean;
  json?: boolean;
}

/** `docloom login`: stores a token of a remote API, so that commands with --server act as that user. */
export function createLoginCommand(): Command {
  return new Command('login')
    .description('Logs in to the API of another machine; commands with --server then act as that user.')
    .option('--server <address>', 'address of the API; default: DOCLOOM_SERVER')
    .option('--user <name>', 'user name; the command asks for it if absent')
    .option('--password-stdin', 'read the password from standard input')
    .option('--token-stdin', 'read a token or API key from standard input instead of logging in')
    .option('--allow-http', 'send the password without encryption')
    .option('--json', 'print {address, username} as JSON')
    .addHelpText(
      'after',
      `\nThe token is stored in ${getLoginsFile()}, which only you can read, until it expires. If DOCLOOM_TOKEN is set, it is used instead.\n\n  docloom login --server https://docs.example.org --user alice\n  docloom search "pressure" --server https://docs.example.org`,
    )
    .action(async (options: LoginOptions) => {
      const address = getNeededAddress(options);
      if (!isSafeAddress(address) && !options.allowHttp)
        throw createUnencryptedError(address, 'Use https, or add --allow-http');
      const token = options.tokenStdin ? (await text(process.stdin)).trim() : await requestToken(address, options);
      const { username } = await createClient({ baseUrl: address, token }).me();
      await keepLogin(address, { username, token }, options);
      process.stdout.write(
        options.json ? `${JSON.stringify({ address, username })}\n` : `Logged in at ${address} as ${username}.\n`,
      );
    });
}

/** `docloom logout`: revokes the token and deletes it. */
export function createLogoutCommand(): Command {
  return new Command('logout')
    .description('Revokes the token of a login at the API of another machine, and deletes it.')
    .option('--server <address>', 'address of the API; default: DOCLOOM_SERVER')
    .option('--json', 'print {address, is_valid} as JSON; an API key stays valid')
    .action(async (options: LoginOptions) => {
      const address = getNeededAddress(options);
      const login = readLogin(address);
      if (!login) throw new AppError('NOT_FOUND', `You are not logged in at ${address}.`);
      storeLogin(address, undefined);
      const is_valid = await revoke(address, login.token);
      const note = is_valid ? ' The API key stays valid until it expires or you revoke it there.' : '';
      process.stdout.write(
        options.json ? `${JSON.stringify({ address, is_valid })}\n` : `Logged out at ${address}.${note}\n`,
      );
    });
}

/** Stores a login. If that fails, ends the session that this command has begun: nobody could use it any more. */
async function keepLogin(address: string, login: Login, { tokenStdin }: LoginOptions): Promise<void> {
  try {
    storeLogin(address, login);
  } catch (error) {
    if (!tokenStdin) await revoke(address, login.token).catch(() => undefined);
    throw error;
  }
}

/** Revokes a token. Returns true for an API key: it stays valid, because other programs may use it. */
async function revoke(address: string, token: string): Promise<boolean> {
  if (token.startsWith(keyPrefix)) return true;
  await createClient({ baseUrl: address, token })
    .logout()
    .catch((error: unknown) => {
      // A token that is no longer accepted needs no revocation.
      if (!(error instanceof ApiError && error.status === 401)) throw error;
    });
  return false;
}

function getNeededAddress(options: LoginOptions): string {
  const address = findRemoteAddress(options);
  if (address === undefined)
    throw new AppError('VALIDATION_ERROR', 'Name the API with --server, or set DOCLOOM_SERVER.');
  return address;
}

async function requestToken(address: string, { user, passwordStdin }: LoginOptions): Promise<string> {
  if (!passwordStdin && !process.stdin.isTTY)
    throw new AppError('VALIDATION_ERROR', 'Standard input is not a terminal: add --password-stdin or --token-stdin.');
  const username = user ?? (await ask('User: ', false));
  const password = passwordStdin ? (await text(process.stdin)).replace(/\r?\n$/, '') : await ask('Password: ', true);
  return (await createClient({ baseUrl: address }).login(username, password)).access_token;
}

async function ask(question: string, isHidden: boolean): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: isHidden ? silent : process.stderr, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    if (isHidden) process.stderr.write('\n');
  }
}
