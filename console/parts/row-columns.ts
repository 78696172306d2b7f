/** Columns that say how a document was read rather than what it contains. The API returns them, and the console hides them. */
export const hiddenColumns: ReadonlySet<string> = new Set([
  ...['id', 'document_id', 'name', 'path', 'source', 'size', 'mimetype', 'metadata', 'modified_time'],
  ...['content', 'content_hash', 'source_version', 'pages_processed', 'entity_evidence', 'transformed_entities'],
  ...['classification_confidence', 'document_ref', 'graph_ref'],
]);
