import type { Context } from 'koa';
import { AppError } from '../../model/errors';
import type { AgentLogins } from '../../services/login/agent-logins';
import { recordLogin } from '../login/auth';
import type { ApiServices } from '../services';

/** The path of the metadata that names the issuer of tokens for this server (RFC 9728). The path of the resource may follow. */
export const metadataPath = '/.well-known/oauth-protected-resource';

/** True for a JWT that this server did not sign, valid or not. */
export function isProviderToken(authorization: string): boolean {
  const header = /^bearer\s+([\w-]+)\.[\w-]+\.[\w-]+\s*$/i.exec(authorization)?.[1];
  try {
    const { alg } = JSON.parse(Buffer.from(header ?? '', 'base64url').toString('utf8')) as { alg?: unknown };
    return alg !== 'HS256';
  } catch {
    return false;
  }
}

/**
 * Checks an access token of the provider and returns credentials of this server, valid for as long as a login token. The provider's
 * token is not passed on.
 */
export async function signInAgent(
  authorization: string,
  {
    agentLogins,
    accounts,
    tokens,
    clock,
  }: Pick<ApiServices, 'accounts' | 'tokens' | 'clock'> & { agentLogins: AgentLogins },
  context: Context,
): Promise<string> {
  const user = await agentLogins.verify(authorization.replace(/^bearer\s+/i, '').trim());
  context.state['username'] = user.username;
  await recordLogin(user, { accounts, tokens, clock }, 'provider');
  return `Bearer ${tokens.issue(user, { isRecorded: true })}`;
}

/** The metadata of the protected resource; NOT_FOUND where agents cannot log in. */
export async function readResourceMetadata(agentLogins: AgentLogins | undefined): Promise<object> {
  if (!agentLogins)
    throw new AppError('NOT_FOUND', 'Agents cannot log in at a provider here: DOCLOOM_OAUTH2_RESOURCE is not set.');
  return {
    resource: agentLogins.resource,
    authorization_servers: [await agentLogins.issuer()],
    scopes_supported: agentLogins.scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Docloom',
  };
}

/** Points a rejected client to the metadata; empty if there is none. */
export function createChallenge(
  status: number,
  context: Context,
  agentLogins: AgentLogins | undefined,
): Record<string, string> {
  if (status !== 401 || !agentLogins) return {};
  const { origin, pathname } = new URL(agentLogins.resource);
  const metadata = `resource_metadata="${origin}${metadataPath}${pathname === '/' ? '' : pathname}"`;
  const isRefused = context.get('Authorization') !== '';
  return { 'WWW-Authenticate': `Bearer ${isRefused ? 'error="invalid_token", ' : ''}${metadata}` };
}
