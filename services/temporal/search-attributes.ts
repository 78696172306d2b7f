import { searchAttributes } from '../run/runs';

/** `Keyword` in Temporal's enumeration of indexed value types. */
const keywordType = 2;

/** What is used of a connection; both the client's and the worker's have it. */
interface OperatorConnection {
  operatorService: {
    addSearchAttributes(request: { namespace: string; searchAttributes: Record<string, number> }): Promise<unknown>;
  };
}

/** Registers our search attributes; adding those that exist is accepted. A server that forbids it must have them already. */
export async function ensureSearchAttributes(connection: OperatorConnection, namespace: string): Promise<void> {
  const wanted = Object.fromEntries(Object.keys(searchAttributes).map((name) => [name, keywordType]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: wanted });
}
