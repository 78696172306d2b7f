/**
 * The search attributes of workflows, with their types. `Outcome`, `Documents` and `FailedDocuments` are on runs, batches and
 * conversions; `WaitingFor` contains the codes of the services that a run waits for. Temporal never encrypts them, so they
 * contain no text of documents.
 */
export const searchAttributeTypes = {
  FlowName: 'Keyword',
  JobRunId: 'Keyword',
  ProjectId: 'Keyword',
  Owner: 'Keyword',
  Outcome: 'Keyword',
  Documents: 'Int',
  FailedDocuments: 'Int',
  WaitingFor: 'Keyword',
} as const;
export type SearchAttribute = keyof typeof searchAttributeTypes;
