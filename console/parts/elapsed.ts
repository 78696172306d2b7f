import { useEffect, useState } from 'react';

/** The number of whole seconds since `isOn` became true; 0 while it is false. */
export function useElapsed(isOn = true): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!isOn) return undefined;
    const started = Date.now();
    const timer = window.setInterval(() => setSeconds(Math.floor((Date.now() - started) / 1_000)), 1_000);
    return () => {
      window.clearInterval(timer);
      setSeconds(0);
    };
  }, [isOn]);
  return seconds;
}

/** After this many seconds without an answer, a screen says that something is slow. */
export const slowAfterSeconds = 5;
