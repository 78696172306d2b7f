import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { ProviderSettings } from './oidc-settings';

/** The claims about a user: the verified ID token, completed by the user info endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

type Rules = Pick<ProviderSettings, 'usernameClaims' | 'groupsClaim' | 'allowedDomains' | 'audience'>;

/**
 * The user described by these claims. An e-mail address counts as a name only when the provider has verified it, because anybody
 * can claim an unverified one. Throws UNAUTHORIZED without a name or with another audience, FORBIDDEN for a domain that is not
 * allowed.
 */
export function createUser(claims: Claims, rules: Rules): User {
  if (rules.audience !== undefined && !toList(claims['aud']).includes(rules.audience)) {
    throw new AppError('UNAUTHORIZED', 'The ID token is for another audience.');
  }
  const names = rules.usernameClaims.map((claim) => findName(claims, claim));
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
    email: toText(claims['email']),
    ...(claims['email_verified'] === true && toText(claims['email']) !== ''
      ? { verified_email: toText(claims['email']) }
      : {}),
    full_name: toText(claims['name']),
    groups: toList(claims[rules.groupsClaim]),
  };
}

function findName(claims: Claims, claim: string): string | undefined {
  const name = toText(claims[claim]);
  // Reject names that look like another user's: with surrounding blanks or invisible characters.
  if (name === '' || name !== name.trim() || name.length > 256 || /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name))
    return undefined;
  return claim === 'email' && claims['email_verified'] !== true ? undefined : name;
}

function isAllowed(username: string, domains: readonly string[]): boolean {
  const [, domain] = /@([^@]+)$/.exec(username) ?? [];
  return domains.length === 0 || domains.some((allowed) => allowed.toLowerCase() === domain?.toLowerCase());
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Providers send a single value as a string and several as a list. */
function toList(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === 'string');
}
