import { exitCodes } from '../exit-codes';

/** npm forwards Ctrl-C to a child that has already received it, so two signals within this time count as one. */
const sameSignalMs = 1_000;

/** Makes SIGINT and SIGTERM cancel a run; a second signal ends the process at once. `dispose` restores their usual effect. */
export function cancelOnSignal(cancel: () => Promise<unknown>, print: (line: string) => void): { dispose(): void } {
  let askedAt = 0;
  const onSignal = () => {
    if (askedAt > 0 && Date.now() - askedAt < sameSignalMs) return;
    if (askedAt > 0) process.exit(exitCodes.cancelled);
    askedAt = Date.now();
    print('Cancelling the run. Press Ctrl-C again to exit immediately.');
    cancel().catch((error: unknown) =>
      print(`The run could not be cancelled: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { dispose: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal) };
}
