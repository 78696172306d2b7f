import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { createPrivacy } from './privacy';

/** What Temporal gets to see of the result of an activity. */
async function showResult(result: object): Promise<unknown> {
  const hide = async (_text: string, shown: string) => `[${shown}]`;
  const { inbound } = createPrivacy({ hide, reveal: async (value) => value }, { waitMs: 0 })({} as Context);
  const context = {
    info: { workflowType: 'x', attempt: 1 },
    cancellationSignal: new AbortController().signal,
    heartbeat: () => undefined,
  } as unknown as Context;
  return asyncLocalStorage.run(context, () => inbound?.execute?.({ args: [], headers: {} }, async () => result));
}

test('a failed document shows the meaning of its code, a conversion that of its category', async () => {
  const message = "'offer.pdf' quotes Ms Miller.";
  expect(await showResult({ code: 'DOCUMENT_ENCRYPTED', message })).toMatchObject({
    message: '[The document is protected by a password.]',
  });
  expect(await showResult({ index: 0, status: 'failure', category: 'backend_failure', message })).toMatchObject({
    message: '[The document is damaged, protected, too large, or of a kind that cannot be read.]',
  });
  expect(await showResult({ category: 'nonsense', message })).toMatchObject({
    message: '[An unexpected error occurred.]',
  });
});
