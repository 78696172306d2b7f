import { searchAttributes } from '../run/runs';

/** `Keyword` in Temporal's enumeration IndexedValueType. */
const keywordType = 2;

/** The part of a connection used here, which clients' and workers' connections have in common. */
interface OperatorConnection {
  operatorService: {
    addSearchAttributes(request: { namespace: string; searchAttributes: Record<string, number> }): Promise<unknown>;
  };
}

/** Registers our search attributes. Existing ones are accepted. A server that forbids registration must have them already. */
export async function ensureSearchAttributes(connection: OperatorConnection, namespace: string): Promise<void> {
  const wanted = Object.fromEntries(Object.keys(searchAttributes).map((name) => [name, keywordType]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: wanted });
}
