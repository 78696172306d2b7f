import { searchAttributeTypes } from '../../model/run/search-attributes';

/** Types of search attributes in Temporal's enumeration IndexedValueType. */
const indexedValueTypes = { Keyword: 2, Int: 3 } as const;

/** The part of a connection used here, which clients' and workers' connections have in common. */
interface OperatorConnection {
  operatorService: {
    addSearchAttributes(request: { namespace: string; searchAttributes: Record<string, number> }): Promise<unknown>;
  };
  workflowService: {
    countWorkflowExecutions(request: { namespace: string; query: string }): Promise<unknown>;
  };
}

/**
 * Registers our search attributes. Existing ones are accepted. A server that forbids registration must have them already. Throws until
 * workflows can be started with them: the frontend of a server learns of new ones some seconds after they are stored.
 */
export async function ensureSearchAttributes(connection: OperatorConnection, namespace: string): Promise<void> {
  const requiredAttributes = Object.fromEntries(
    Object.entries(searchAttributeTypes).map(([name, type]) => [name, indexedValueTypes[type]]),
  );
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: requiredAttributes });
  const query = Object.keys(requiredAttributes)
    .map((name) => `${name} IS NULL`)
    .join(' AND ');
  await connection.workflowService.countWorkflowExecutions({ namespace, query });
}
