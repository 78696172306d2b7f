import { createClient } from '../../client';
import { createTokens } from '../../services/login/tokens';
import { type Role, roles } from './matrix';

/** The roles that have a token. */
export type SignedRole = Exclude<Role, 'nobody'>;
export const signedRoles = roles.filter((role): role is SignedRole => role !== 'nobody');

/** A role's account on the server under attack. */
export interface Account {
  username: string;
  token: string;
}

/** Creates a new session of the role's account. */
export type SignIn = (role: SignedRole) => Promise<Account>;

/** Creates accounts for this attack only, with the signing key of the server. */
export function accountsBySigningKey(
  mark: string,
  { secret, audience, adminGroup }: { secret: string; audience?: string | undefined; adminGroup: string },
): SignIn {
  const tokens = createTokens({ secret, expireMinutes: 30, ...(audience === undefined ? {} : { audience }) });
  return async (role) => {
    const username = `attack-${mark}-${role}`;
    const groups = role === 'admin' ? [adminGroup] : [];
    return { username, token: tokens.issue({ username, email: '', full_name: '', groups }) };
  };
}

/** Name and password of the account of each role. */
export type Logins = Record<SignedRole, { username: string; password: string }>;

/** Logs in to accounts of a directory. They must own nothing, because the attack deletes their conversions and compares their lists. */
export function accountsByLogin(url: string, logins: Logins): SignIn {
  return async (role) => {
    const { username, password } = logins[role];
    const { access_token: token } = await createClient({ baseUrl: url }).login(username, password);
    return { username, token };
  };
}
