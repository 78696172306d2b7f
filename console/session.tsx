import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type { UserInfo } from '../client';
import { api, ApiError, onSessionEnd } from './api';

interface Session {
  user: UserInfo;
  logOut: () => Promise<void>;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Who is logged in. Only below `SessionGate`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession is used outside SessionGate');
  return session;
}

/** Shows `children` to somebody who is logged in and `login` to everybody else. */
export function SessionGate({
  children,
  login,
  waiting,
}: {
  children: ReactNode;
  login: (state: { isExpired: boolean; onDone: () => void }) => ReactNode;
  waiting: ReactNode;
}) {
  const queries = useQueryClient();
  const [isExpired, setExpired] = useState(false);
  const me = useQuery({
    queryKey: ['me'],
    queryFn: () =>
      api.me().catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(
    () =>
      onSessionEnd(() => {
        setExpired(true);
        queries.setQueryData(['me'], null);
      }),
    [queries],
  );
  const onDone = () => {
    setExpired(false);
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
    void queries.invalidateQueries({ queryKey: ['me'] });
  };
  if (me.isPending) return waiting;
  if (!me.data) return login({ isExpired, onDone });
  const logOut = async () => {
    await api.logout().catch(() => undefined);
    queries.clear();
    queries.setQueryData(['me'], null);
  };
  return <SessionContext value={{ user: me.data, logOut }}>{children}</SessionContext>;
}
