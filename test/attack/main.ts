import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { getSigningSecret } from '../../cli/signing-secret';
import { ApiError } from '../../client';
import { readConfig } from '../../model/config';
import { accountsByLogin, accountsBySigningKey, type Logins, type SignIn, signedRoles } from './accounts';
import { attack, describeReport } from './attack';

const help = `Attacks a running server with an account of every role, and prints what got through.

  npm run attack -- --url http://127.0.0.1:8080 [--key-file FILE] [--admin-group GROUP]
  npm run attack -- --url http://127.0.0.1:8080 --logins FILE

  --key-file FILE       the signing key; default: JWT_SECRET_KEY, or the key that \`docloom up\` keeps in DOCLOOM_DATA
  --admin-group GROUP   a group of DOCLOOM_ADMIN_GROUPS, which must name one here or on the server
  --logins FILE         JSON: {"owner": {"username", "password"}, …} for ${signedRoles.join(', ')}; accounts that own nothing
  --only TEXT           routes and cases whose name contains it, such as 'DELETE /api/v1/flows' or tokens
  --json                print the report as JSON

Everything is made through the API and removed at the end. Exits with 1 if something got through or could not be proven.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      'key-file': { type: 'string' },
      'admin-group': { type: 'string' },
      logins: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help || values.url === undefined) {
    process.stdout.write(help);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const begun = Date.now();
  const report = await attack(values.url, getSignIn(values.url, values), (name) => name.includes(values.only ?? ''));
  const seconds = Math.round((Date.now() - begun) / 1000);
  process.stdout.write(
    values.json ? `${JSON.stringify({ ...report, seconds })}\n` : `${describeReport(report)}${seconds} seconds.\n`,
  );
  process.exitCode = report.findings.length > 0 ? 1 : 0;
}

function getSignIn(
  url: string,
  input: { logins?: string; 'key-file'?: string; 'admin-group'?: string },
): (mark: string) => SignIn {
  if (input.logins !== undefined) {
    const logins = JSON.parse(readFileSync(input.logins, 'utf8')) as Logins;
    return () => accountsByLogin(url, logins);
  }
  const config = readConfig(process.env);
  const file = input['key-file'];
  const secret = file === undefined ? getSigningSecret(config) : readFileSync(file, 'utf8').trim();
  // Without a configured administrator group no account is an administrator, and their rights are reported as unproven.
  const adminGroup = input['admin-group'] ?? config.DOCLOOM_ADMIN_GROUPS[0] ?? `none-${randomUUID()}`;
  return (mark) => accountsBySigningKey(mark, { secret, audience: config.JWT_AUDIENCE, adminGroup });
}

function describeProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const isTokenRefused = error instanceof ApiError && error.status === 401;
  return isTokenRefused
    ? `The server refused a token of this attack: ${message} Set DOCLOOM_DATA to the data folder of the server, or name its key with --key-file.`
    : message;
}

void main().catch((error: unknown) => {
  process.stderr.write(`The attack could not be carried out. ${describeProblem(error)}\n`);
  process.exitCode = 2;
});
