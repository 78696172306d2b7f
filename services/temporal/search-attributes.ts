import { searchAttributeTypes } from '../../model/run/search-attributes';

/** Types of search attributes in Temporal's enumeration IndexedValueType. */
const indexedValueTypes = { Keyword: 2, Int: 3 } as const;

/** The part of a connection used here, which clients' and workers' connections have in common. */
interface OperatorConnection {
  operatorService: {
    addSearchAttributes(request: { namespace: string; searchAttributes: Record<string, number> }): Promise<unknown>;
  };
}

/** Registers our search attributes. Existing ones are accepted. A server that forbids registration must have them already. */
export async function ensureSearchAttributes(connection: OperatorConnection, namespace: string): Promise<void> {
  const requiredAttributes = Object.fromEntries(
    Object.entries(searchAttributeTypes).map(([name, type]) => [name, indexedValueTypes[type]]),
  );
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: requiredAttributes });
}
