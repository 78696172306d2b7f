import { type AnchorHTMLAttributes, type MouseEvent, useEffect, useSyncExternalStore } from 'react';

const base = '/console';
const listeners = new Set<() => void>();

/** The current address in the console: the path below `/console`, and the query. */
export interface Place {
  path: string;
  query: URLSearchParams;
}

/** Navigates to an address of the console; `replace` adds no entry to the history. */
export function navigate(to: string, { replace = false } = {}): void {
  const address = `${base}${to}`;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  for (const listener of listeners) listener();
  if (!replace) window.scrollTo(0, 0);
}

/** The current address; rerenders when it changes. */
export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  const url = new URL(address, location.origin);
  return { path: url.pathname.slice(base.length).replace(/\/+$/, '') || '/', query: url.searchParams };
}

/** Changes query parameters of the current address; undefined and empty ones are removed. */
export function setQuery(change: Record<string, string | undefined>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  navigate(url.pathname.slice(base.length) + url.search, { replace: true });
}

/** Returns the URL of an address of the console, for links. */
export function buildHref(to: string): string {
  return `${base}${to}`;
}

/** A link inside the console; with a modifier key the browser handles it as usual. */
export function Link({ to, ...rest }: { to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    rest.onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...rest} href={buildHref(to)} onClick={follow} />;
}

/** Sets the window title while a screen is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = `${title} – Docloom`;
    return () => {
      document.title = before;
    };
  }, [title]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}
