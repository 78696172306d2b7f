import { errorCatalogue, type ErrorCode } from './errors';

/** Codes whose messages name settings, flows and services of the installation, and never anything that a document or a model said. */
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

/** What histories, logs and other people than the owner may be told of an error: its message if that quotes no document, else the text of its code. */
export function publicMessage({ code, message }: { code: string; message: string }): string {
  return plainCodes.has(code) ? message : textOfCode(code);
}

/** What the catalogue says of a code; of any other code what it says of unexpected errors. */
export function textOfCode(code: string): string {
  return errorCatalogue[code in errorCatalogue ? (code as ErrorCode) : 'INTERNAL_ERROR'].text;
}
