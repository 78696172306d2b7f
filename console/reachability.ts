import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let isLost = false;
let isWatching = false;

/** Between two attempts to reach a server that does not answer. */
const pauseMs = 2_000;
/** A server that takes longer to say that it is alive does not answer. */
const maxAnswerMs = 10_000;

/** True while the server does not answer. */
export function useIsLost(): boolean {
  return useSyncExternalStore(subscribe, () => isLost);
}

/**
 * To be called when a request got no answer. One request may fail for reasons of its own, so the server is asked whether it is
 * alive, until it is.
 */
export async function watchServer(): Promise<void> {
  if (isWatching) return;
  isWatching = true;
  while (!(await isAlive())) {
    setLost(true);
    await new Promise((resolve) => window.setTimeout(resolve, pauseMs));
  }
  setLost(false);
  isWatching = false;
}

async function isAlive(): Promise<boolean> {
  try {
    await fetch('/health', { cache: 'no-store', signal: AbortSignal.timeout(maxAnswerMs) });
    return true;
  } catch {
    return false;
  }
}

function setLost(value: boolean): void {
  if (isLost === value) return;
  isLost = value;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
