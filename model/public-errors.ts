import { errorCatalogue, type ErrorCode } from './errors';

/**
 * Codes whose messages name only settings, flows and services of the installation, and never contain text from a document or
 * model.
 */
const plainCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'FLOW_VALIDATION_FAILED',
  'DOCUMENT_SET_NOT_FOUND',
  'JOB_RUN_BUSY',
  'OPERATOR_CONFIGURATION_INVALID',
  'SECRET_NOT_FOUND',
  'SECRET_NOT_ALLOWED',
  'SOURCE_NOT_FOUND',
  'SOURCE_NOT_ALLOWED',
  'INDEX_NOT_OWNED',
  'LOCALMODEL_MODEL_NOT_FOUND',
  'EMBEDDING_DIMENSION_MISMATCH',
  'DATABASE_UNAVAILABLE',
  'WORKFLOW_ENGINE_UNAVAILABLE',
  'TABLE_NOT_FOUND',
  'OPTIONAL_PACKAGE_MISSING',
  'CONVERSION_TASK_NOT_FOUND',
]);

/**
 * The error message for histories, logs and users other than the owner: the message if it cannot quote a document, else the text
 * of the code.
 */
export function toPublicMessage({ code, message }: { code: string; message: string }): string {
  return plainCodes.has(code) ? message : getCatalogueText(code);
}

/** The text of a code in the catalogue. Unknown codes get the text for unexpected errors. */
export function getCatalogueText(code: string): string {
  return errorCatalogue[code in errorCatalogue ? (code as ErrorCode) : 'INTERNAL_ERROR'].text;
}
