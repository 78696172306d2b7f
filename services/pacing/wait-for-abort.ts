/** A promise that rejects with the reason of the signal once it aborts, or at once if it has, and the function that ends the wait. */
export function waitForAbort(signal: AbortSignal): { left: Promise<never>; stopWaiting: () => void } {
  let stopWaiting = () => {};
  const left = new Promise<never>((_resolve, reject) => {
    const leave = () => reject(signal.reason as Error);
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    stopWaiting = () => signal.removeEventListener('abort', leave);
  });
  return { left, stopWaiting };
}
