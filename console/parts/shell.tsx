import { Alert, Button, useMantineColorScheme, useComputedColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useIsLost, watchServer } from '../reachability';
import { Link, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';

/** Groups of links: start and search, work with flows, administration. */
const groups = [
  [
    { to: '/', label: texts.nav.home },
    { to: '/add', label: texts.nav.add },
    { to: '/search', label: texts.nav.search },
    { to: '/data', label: texts.nav.data },
    { to: '/graphs', label: texts.nav.graphs },
    { to: '/convert', label: texts.nav.convert },
  ],
  [
    { to: '/runs', label: texts.nav.runs },
    { to: '/flows', label: texts.nav.flows },
    { to: '/projects', label: texts.nav.projects },
    { to: '/failed', label: texts.nav.failed },
    { to: '/review', label: texts.nav.review },
  ],
  [
    { to: '/settings', label: texts.nav.settings },
    { to: '/admin', label: texts.nav.admin },
  ],
];
/** Other prefixes of addresses for which a link is marked as current. */
const otherPrefixes: Readonly<Record<string, readonly string[]>> = {
  '/data': ['/sets/', '/libraries/'],
  '/search': ['/documents/'],
};

/** The frame of every screen: navigation, account, content. */
export function Shell({ children }: { children: ReactNode }) {
  const { path } = usePlace();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  const { user } = useSession();
  const isCurrent = (to: string) =>
    path === to ||
    (to !== '/' && path.startsWith(`${to}/`)) ||
    (otherPrefixes[to] ?? []).some((other) => path.startsWith(other));
  return (
    <>
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <div className="shell">
        <header className="side" data-open={isOpen}>
          <div className="side-top">
            <Link to="/" className="brand">
              <Mark />
              {texts.product}
            </Link>
            <Button
              className="menu-button"
              variant="default"
              size="xs"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? texts.menu.close : texts.menu.open}
            </Button>
          </div>
          <nav aria-label={texts.nav.label}>
            {groups.map((places) => (
              <div key={places[0]?.to} className="nav-group">
                {places
                  .filter(({ to }) => to !== '/admin' || user.is_administrator)
                  .map(({ to, label }) => (
                    <Link key={to} to={to} className="nav-link" aria-current={isCurrent(to) ? 'page' : undefined}>
                      {label}
                    </Link>
                  ))}
              </div>
            ))}
          </nav>
          <Account />
        </header>
        <main className="main" id="content" tabIndex={-1}>
          <LostNotice />
          {children}
        </main>
      </div>
    </>
  );
}

/** Says that the server does not answer; when it answers again, everything on the screen is read again. */
function LostNotice() {
  const isLost = useIsLost();
  const wasLost = useRef(false);
  const queries = useQueryClient();
  useEffect(() => {
    const watch = () => void watchServer();
    window.addEventListener('offline', watch);
    return () => window.removeEventListener('offline', watch);
  }, []);
  useEffect(() => {
    if (wasLost.current && !isLost) void queries.invalidateQueries();
    wasLost.current = isLost;
  }, [isLost, queries]);
  if (!isLost) return null;
  return (
    <Alert color="orange" variant="outline" role="alert" mb={16}>
      {texts.common.lost}
    </Alert>
  );
}

function Account() {
  const { user, logOut } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <div className="side-foot">
      <span className="muted">{texts.account.signedInAs(user.full_name || user.username)}</span>
      <a href="/api/v1/docs">{texts.account.api}</a>
      <Button variant="default" size="xs" onClick={() => setColorScheme(isDark ? 'light' : 'dark')}>
        {isDark ? texts.account.light : texts.account.dark}
      </Button>
      <Button variant="default" size="xs" onClick={() => void logOut()}>
        {texts.account.signOut}
      </Button>
    </div>
  );
}

function Mark() {
  return (
    <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1864ab" />
      <path d="M8 9h16M8 16h16M8 23h16M12 6v20M20 6v20" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
    </svg>
  );
}
