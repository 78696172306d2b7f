import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { ProviderSettings } from './oidc-settings';

/** What the provider tells of a user: the checked ID token, with what the user info endpoint adds. */
export type Claims = Readonly<Record<string, unknown>>;

type Rules = Pick<ProviderSettings, 'usernameClaims' | 'groupsClaim' | 'allowedDomains' | 'audience'>;

/**
 * The user of these claims. A mail address is a name only when the provider says that it is verified: anybody can
 * claim an unverified one. UNAUTHORIZED when there is no name or another audience, FORBIDDEN for a domain not allowed.
 */
export function userOfClaims(claims: Claims, rules: Rules): User {
  if (rules.audience !== undefined && !list(claims['aud']).includes(rules.audience)) {
    throw new AppError('UNAUTHORIZED', 'The ID token is for another audience.');
  }
  const names = rules.usernameClaims.map((claim) => nameOf(claims, claim));
  const username = names.find((name) => name !== undefined);
  if (username === undefined) {
    throw new AppError(
      'UNAUTHORIZED',
      `The provider returns no user name: one of the claims ${rules.usernameClaims.join(', ')} is required; an email address must be verified.`,
    );
  }
  if (!isAllowed(username, rules.allowedDomains))
    throw new AppError('FORBIDDEN', `Users of the domain of '${username}' may not log in here.`);
  return {
    username,
    email: text(claims['email']),
    full_name: text(claims['name']),
    groups: list(claims[rules.groupsClaim]),
  };
}

function nameOf(claims: Claims, claim: string): string | undefined {
  const name = text(claims[claim]);
  // What looks like the name of somebody else is none: blanks around it, or characters that nobody sees.
  if (name === '' || name !== name.trim() || name.length > 256 || /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name))
    return undefined;
  return claim === 'email' && claims['email_verified'] !== true ? undefined : name;
}

function isAllowed(username: string, domains: readonly string[]): boolean {
  const [, domain] = /@([^@]+)$/.exec(username) ?? [];
  return domains.length === 0 || domains.some((allowed) => allowed.toLowerCase() === domain?.toLowerCase());
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Providers send one value as a string and several as a list. */
function list(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === 'string');
}
