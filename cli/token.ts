import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type Config, readConfig } from '../model/config';
import { AppError } from '../model/errors';
import { createTokens } from '../services/login/tokens';

interface TokenOptions {
  user: string;
  groups: string[];
  email: string;
  fullName: string;
  minutes?: number;
  json?: boolean;
}

/** `docloom token`: issues a token on a machine where the secret of the api can be read; no password is asked. */
export function tokenCommand(): Command {
  return new Command('token')
    .description('Issues a token for a user, for the header Authorization: Bearer.')
    .requiredOption('--user <name>', 'user of the token, as named in access lists', nonEmpty)
    .option('--groups <names>', 'groups of the user, separated by commas', listOf, [])
    .option('--email <address>', 'mail address of the user', '')
    .option('--full-name <name>', 'full name of the user', '')
    .option('--minutes <n>', 'lifetime; default: JWT_ACCESS_TOKEN_EXPIRE_MINUTES', wholeMinutes)
    .option('--json', 'print {access_token, token_type, expires_at} as JSON')
    .addHelpText(
      'after',
      '\nThe secret is JWT_SECRET_KEY, or the one that `docloom up` keeps in DOCLOOM_DATA.\n\n  curl -H "Authorization: Bearer $(docloom token --user alice)" http://127.0.0.1:8080/auth/me',
    )
    .action((options: TokenOptions) => {
      const config = readConfig(process.env);
      const minutes = options.minutes ?? config.JWT_ACCESS_TOKEN_EXPIRE_MINUTES;
      const tokens = createTokens({
        secret: secretOf(config),
        expireMinutes: minutes,
        audience: config.JWT_AUDIENCE,
      });
      const { user: username, email, fullName: full_name, groups } = options;
      const access_token = tokens.issue({ username, email, full_name, groups });
      const expires_at = new Date(Date.now() + minutes * 60_000).toISOString();
      process.stdout.write(
        options.json ? `${JSON.stringify({ access_token, token_type: 'bearer', expires_at })}\n` : `${access_token}\n`,
      );
    });
}

function secretOf(config: Config): string {
  if (config.JWT_SECRET_KEY) return config.JWT_SECRET_KEY;
  const file = path.resolve(config.DOCLOOM_DATA, 'jwt-secret');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new AppError(
    'INVALID_CONFIGURATION',
    `No secret to sign with: JWT_SECRET_KEY is not set and ${file} does not exist; \`docloom up\` makes it.`,
  );
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

function wholeMinutes(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}
