import path from 'node:path';
import { Command } from 'commander';
import { readDataFolder } from '../embedded/paths';
import { findRunningStack, readStack } from '../embedded/stack-file';
import { type Config, readConfig } from '../model/config';
import { AppError } from '../model/errors';
import { requireText } from './convert/option-values';
import { createWholeNumberParser } from './convert/whole-number';
import { createLocalTokens } from './local-tokens';

interface TokenOptions {
  user: string;
  groups?: string[];
  email?: string;
  fullName?: string;
  minutes?: number;
  json?: boolean;
}

/** `docloom token`: issues a token on a machine where the signing key is readable; needs no password. */
export function createTokenCommand(): Command {
  return new Command('token')
    .description('Issues a token for a user, for the header Authorization: Bearer.')
    .requiredOption('--user <name>', 'user of the token, as named in access lists', requireText)
    .option('--groups <names>', 'groups of the user, separated by commas', splitList)
    .option('--email <address>', 'mail address of the user')
    .option('--full-name <name>', 'full name of the user')
    .option('--minutes <n>', 'lifetime; default: JWT_ACCESS_TOKEN_EXPIRE_MINUTES', createWholeNumberParser(1))
    .option('--json', 'print {access_token, token_type, expires_at} as JSON')
    .addHelpText(
      'after',
      '\nThe secret is JWT_SECRET_KEY, or the one that `docloom up` keeps in DOCLOOM_DATA.\n\n  curl -H "Authorization: Bearer $(docloom token --user alice)" http://127.0.0.1:8080/auth/me',
    )
    .action(async (options: TokenOptions) => {
      const config = readConfig(process.env);
      const minutes = options.minutes ?? config.JWT_ACCESS_TOKEN_EXPIRE_MINUTES;
      const tokens = await createLocalTokens(config, minutes);
      const { user: username, email = '', fullName: full_name = '', groups = [] } = options;
      const access_token = tokens.issue({ username, email, full_name, groups });
      await checkAccepted(access_token, config);
      const expires_at = new Date(Date.now() + minutes * 60_000).toISOString();
      process.stdout.write(
        options.json ? `${JSON.stringify({ access_token, token_type: 'bearer', expires_at })}\n` : `${access_token}\n`,
      );
    });
}

/** Throws when the running api rejects the token; prints a note when no api is running. */
async function checkAccepted(token: string, config: Config): Promise<void> {
  const dataDir = readDataFolder(process.env);
  const running = await readStack(dataDir);
  const from = config.JWT_SECRET_KEY ? 'JWT_SECRET_KEY' : path.join(dataDir, 'jwt-secret');
  if (running) {
    const { status } = await fetch(`${running.apiAddress}/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    if (status !== 401) return;
    throw new AppError(
      'INVALID_CONFIGURATION',
      `The API at ${running.apiAddress} refuses tokens signed with ${from}: it was started with another JWT_SECRET_KEY or JWT_AUDIENCE. Set the same here.`,
    );
  }
  // An api that runs but does not answer cannot be asked.
  if (findRunningStack(dataDir)) return;
  if (!config.JWT_SECRET_KEY)
    process.stderr.write(
      `Docloom is not running in ${dataDir}. The token will be accepted by the next \`docloom up\` there, unless that gets a JWT_SECRET_KEY.\n`,
    );
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}
