import { exitCodes } from '../exit-codes';

/** Makes SIGINT and SIGTERM cancel a run; a second signal ends the process at once. `dispose` restores their usual effect. */
export function cancelOnSignal(cancel: () => Promise<unknown>, say: (line: string) => void): { dispose(): void } {
  let askedAt = 0;
  const onSignal = () => {
    // npm forwards Ctrl-C to a child that has already received it, so two within a second count as one.
    if (askedAt > 0 && Date.now() - askedAt < 1_000) return;
    if (askedAt > 0) process.exit(exitCodes.cancelled);
    askedAt = Date.now();
    say('cancelling the run; once more to leave at once');
    cancel().catch((error: unknown) => say(`the run could not be cancelled: ${String(error)}`));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { dispose: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal) };
}
