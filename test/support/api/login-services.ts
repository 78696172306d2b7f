import { createLoginLimit } from '../../../api/login/login-limit';
import type { ApiServices } from '../../../api/services';
import { AppError } from '../../../model/errors';
import { type LoginStates, type Pending, createRandomSecret } from '../../../services/login/login-states';
import type { SessionRecord, Sessions } from '../../../services/login/sessions';

type Logins = Pick<ApiServices, 'authorizeLimit' | 'oidc' | 'loginStates' | 'revocations' | 'sessions'>;

/** Logins in memory, with the provider disabled. */
export function memoryLogins(clock: () => Date): Logins {
  const limit = createLoginLimit(60, clock);
  const off = () => {
    throw new AppError('SERVICE_UNAVAILABLE', 'OAuth2 authentication is not enabled.');
  };
  const revoked = new Set<string>();
  return {
    authorizeLimit: (clientAddress) => void limit(clientAddress, ''),
    oidc: { listProviders: () => [], resolve: off, readMetadata: off, buildAuthorizeAddress: off, finish: off },
    loginStates: memoryStates(clock),
    sessions: memorySessions(),
    revocations: {
      revoke: async (tokenId) => void revoked.add(tokenId),
      isRevoked: async (tokenId) => revoked.has(tokenId),
    },
  };
}

function memorySessions(): Sessions {
  const kept = new Map<string, SessionRecord>();
  const ended = new Set<string>();
  return {
    noteUse: (session) => void kept.set(session.session_id, session),
    get: async (id) => (ended.has(id) ? undefined : kept.get(id)),
    list: async (username, { limit, offset }) => {
      const shown = [...kept.values()].filter(
        (sessionRecord) =>
          !ended.has(sessionRecord.session_id) && (username === undefined || sessionRecord.username === username),
      );
      return { items: shown.slice(offset, offset + limit), total: shown.length };
    },
    end: async (id) => void ended.add(id),
  };
}

function memoryStates(clock: () => Date): LoginStates {
  const kept = new Map<string, { value: Pending[keyof Pending]; until: number }>();
  return {
    put: async (kind, value, seconds) => {
      const secret = createRandomSecret();
      kept.set(`${kind}/${secret}`, { value, until: clock().getTime() + seconds * 1000 });
      return secret;
    },
    take: async <Kind extends keyof Pending>(kind: Kind, secret: string) => {
      const found = kept.get(`${kind}/${secret}`);
      kept.delete(`${kind}/${secret}`);
      return found && found.until > clock().getTime() ? (found.value as Pending[Kind]) : undefined;
    },
  };
}
