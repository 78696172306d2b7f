/** Aborts the controller when the signal does. Throws if it has; else returns the function that ends this. */
export function followSignal(controller: AbortController, signal: AbortSignal | undefined): () => void {
  signal?.throwIfAborted();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}
