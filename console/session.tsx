import { focusManager, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, Fragment, type ReactNode, useContext, useEffect, useState } from 'react';
import type { UserInfo } from '../client';
import { api, ApiError, onSessionEnd } from './api';

/** All cached queries except the one for the current user. */
const exceptUser = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'me' };

interface Session {
  user: UserInfo;
  logOut: () => Promise<void>;
}

const SessionContext = createContext<Session | undefined>(undefined);
/** Notifies the other tabs of this browser, which share the session, of a change. The message does not identify the user. */
const tabs = new BroadcastChannel('docloom-session');

/** The current user. Only usable below `SessionGate`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession is used outside SessionGate');
  return session;
}

/**
 * Shows `children` to a logged-in user and `login` to everybody else. When a session expires, the screen is only hidden: a user
 * who logs back in continues where they left off. A logout or a different user starts with a fresh screen.
 */
export function SessionGate({
  children,
  login,
  waiting,
}: {
  children: ReactNode;
  login: (state: { isExpired: boolean; onDone: () => void }) => ReactNode;
  waiting: ReactNode;
}) {
  const { me, user, isExpired, onDone, logOut } = useUser();
  if (me.isPending) return waiting;
  return (
    <>
      {user ? (
        <div hidden={isExpired} inert={isExpired}>
          <Fragment key={user.username}>
            <SessionContext value={{ user, logOut }}>{children}</SessionContext>
          </Fragment>
        </div>
      ) : null}
      {user && !isExpired ? null : login({ isExpired, onDone })}
    </>
  );
}

/** The current user, shared by all tabs. `user` is kept while their session is expired. */
function useUser() {
  const queries = useQueryClient();
  const [isExpired, setExpired] = useState(false);
  const me = useQuery({
    queryKey: ['me'],
    queryFn: readUser,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const user = me.data ?? undefined;
  /** Reloads the current user; data of a different user is removed. */
  const refreshUser = async () => {
    const current = await readUser().catch(() => undefined);
    if (current === undefined) return;
    const previous = queries.getQueryData<UserInfo | null>(['me']);
    if (current?.username !== previous?.username) queries.removeQueries(exceptUser);
    queries.setQueryData(['me'], current);
    setExpired(false);
    if (current) void queries.invalidateQueries(exceptUser);
  };
  // Periodic refreshes pause while nobody is logged in.
  useEffect(() => {
    focusManager.setFocused(isExpired ? false : undefined);
  }, [isExpired]);
  useEffect(() => {
    const unsubscribe = onSessionEnd(() => setExpired(true));
    const onMessage = () => void refreshUser();
    tabs.addEventListener('message', onMessage);
    return () => {
      unsubscribe();
      tabs.removeEventListener('message', onMessage);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- refreshUser is created in each rendering, but always does the same.
  }, [queries]);
  const onDone = () => void refreshUser().then(() => tabs.postMessage('changed'));
  const logOut = async () => {
    await api.logout().catch(() => undefined);
    queries.removeQueries(exceptUser);
    queries.setQueryData(['me'], null);
    tabs.postMessage('changed');
  };
  return { me, user, isExpired: isExpired && user !== undefined, onDone, logOut };
}

function readUser(): Promise<UserInfo | null> {
  return api.me().catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  });
}
