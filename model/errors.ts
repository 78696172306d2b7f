import { maskText } from './flow/secrets';

/**
 * All error codes of the product, with HTTP status and retry policy. Long because it is one list.
 *
 * `retry`: `never`; `outage` (a service is unavailable: keep retrying as long as the run may last); `few` (a few attempts).
 * `scope`: what fails with the error: the `document`, the `run`, or only the `request`.
 * Codes are sent as written here, or in lower case with `DOCLOOM_ERROR_CODE_CASE=lower`; `lower` overrides that spelling
 * with one that existing clients know.
 */
export const errorCatalogue = {
  // flows
  FLOW_VALIDATION_FAILED: { status: 400, retry: 'never', scope: 'run', text: 'The flow configuration is invalid.' },
  FLOW_EXECUTION_FAILED: { status: 500, retry: 'never', scope: 'run', text: 'The pipeline execution failed.' },
  PREFECT_FLOW_TASK_FAILED: {
    status: 500,
    retry: 'never',
    scope: 'run',
    text: 'An activity failed after its retries.',
    lower: 'prefect_flow_failed',
  },
  FLOW_NOT_FOUND: { status: 404, retry: 'never', scope: 'request', text: 'The flow does not exist.' },
  FLOW_ALREADY_EXISTS: { status: 409, retry: 'never', scope: 'request', text: 'A flow with the same name exists.' },
  FLOW_INVALID_DATA: { status: 400, retry: 'never', scope: 'request', text: 'The flow is malformed or lacks fields.' },
  FLOW_STORAGE_ERROR: {
    status: 500,
    retry: 'few',
    scope: 'request',
    text: 'A flow or project could not be kept as a file.',
  },
  FLOW_IN_USE: { status: 409, retry: 'never', scope: 'request', text: 'The flow has a run that is not finished.' },
  // projects
  PROJECT_NOT_FOUND: { status: 404, retry: 'never', scope: 'request', text: 'The project does not exist.' },
  PROJECT_ALREADY_EXISTS: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'A project with the same name exists.',
  },
  PROJECT_INVALID_DATA: {
    status: 400,
    retry: 'never',
    scope: 'request',
    text: 'The project is malformed or lacks fields.',
  },
  // document sets and libraries
  DOCUMENT_SET_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'run',
    text: 'The document set does not exist, or you may not see it.',
  },
  DOCUMENT_SET_INVALID_DATA: {
    status: 400,
    retry: 'never',
    scope: 'request',
    text: 'The document set is malformed or lacks fields.',
  },
  DOCUMENT_LIBRARY_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The document library does not exist, or you may not see it.',
  },
  DOCUMENT_LIBRARY_ALREADY_EXISTS: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'A document library with the same name exists.',
  },
  DOCUMENT_LIBRARY_INVALID_DATA: {
    status: 400,
    retry: 'never',
    scope: 'request',
    text: 'The document library is malformed, or its sets cannot be changed in this way.',
  },
  LIBRARY_FILE_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The library has no such file.',
  },
  LIBRARY_FILE_INVALID_NAME: {
    status: 400,
    retry: 'never',
    scope: 'request',
    text: 'A file of a library cannot have this name.',
  },
  LIBRARY_FILE_ALREADY_EXISTS: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'The library has a file whose name differs only in letter case or in the form of a character.',
  },
  LIBRARY_FULL: {
    status: 413,
    retry: 'never',
    scope: 'request',
    text: 'The file is too large, or there is no room for it: a limit of uploads is reached.',
  },
  UPLOAD_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The upload does not exist, or it ended or expired.',
  },
  UPLOAD_INVALID: {
    status: 400,
    retry: 'never',
    scope: 'request',
    text: 'A part of an upload, or the whole of it, has another size or SHA-256 than announced.',
  },
  UPLOAD_INCOMPLETE: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'Parts of the upload are missing.',
  },
  // job runs
  JOB_RUN_NOT_FOUND: { status: 404, retry: 'never', scope: 'request', text: 'The job run does not exist.' },
  JOB_RUN_INVALID_STATE: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'The job run is in a state that does not allow this.',
  },
  JOB_RUN_NOT_FINISHED: {
    status: 425,
    retry: 'never',
    scope: 'request',
    text: 'The job run is not finished yet; ask again when it is.',
  },
  SCHEDULE_NOT_FOUND: { status: 404, retry: 'never', scope: 'request', text: 'The flow has no such schedule.' },
  JOB_RUN_BUSY: { status: 409, retry: 'outage', scope: 'run', text: 'Another run of the same job is not finished.' },
  // operators
  OPERATOR_CONFIGURATION_INVALID: {
    status: 400,
    retry: 'never',
    scope: 'run',
    text: 'The operator configuration is invalid.',
  },
  OPERATOR_EXECUTION_FAILED: { status: 500, retry: 'never', scope: 'run', text: 'The operator failed.' },
  SQL_FILTER_ERROR: { status: 400, retry: 'never', scope: 'run', text: 'The SQL filter failed.' },
  CONNECTION_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'run',
    text: 'The connection does not exist, or you may not use it.',
  },
  CONNECTION_ALREADY_EXISTS: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'A connection with the same name exists.',
  },
  SECRET_NOT_FOUND: {
    status: 400,
    retry: 'never',
    scope: 'run',
    text: 'A secret reference names a variable that is not set on the worker.',
  },
  SECRET_NOT_ALLOWED: {
    status: 403,
    retry: 'never',
    scope: 'run',
    text: 'A secret reference stands in a member that takes none, or would go to a host that is not listed for it.',
  },
  ADDRESS_NOT_ALLOWED: {
    status: 403,
    retry: 'never',
    scope: 'run',
    text: 'A flow names a private address that is not on the allow-list.',
  },
  ADDRESS_INVALID: {
    status: 400,
    retry: 'never',
    scope: 'run',
    text: 'A flow names a host that does not exist, or a port that nobody can listen on.',
  },
  // sources
  SOURCE_NOT_FOUND: { status: 400, retry: 'never', scope: 'run', text: 'A path of the source does not exist.' },
  SOURCE_NOT_ALLOWED: {
    status: 403,
    retry: 'never',
    scope: 'run',
    text: 'A path of the source lies outside the allowed roots.',
  },
  SOURCE_UNREADABLE: { status: 500, retry: 'never', scope: 'document', text: 'A file of the source cannot be read.' },
  SOURCE_TOO_LARGE: { status: 413, retry: 'never', scope: 'document', text: 'A file is larger than the limit.' },
  ACCESS_LIST_INVALID: {
    status: 422,
    retry: 'never',
    scope: 'document',
    text: 'The access list beside a file is invalid.',
  },
  // conversion
  FORMAT_UNSUPPORTED: {
    status: 415,
    retry: 'never',
    scope: 'document',
    text: 'The format of the document is not supported.',
  },
  DOCUMENT_CORRUPT: { status: 422, retry: 'never', scope: 'document', text: 'The document is damaged.' },
  TEXT_UNREADABLE: {
    status: 422,
    retry: 'never',
    scope: 'document',
    text: 'No text of the images can be read: it is in another language than those asked for, or too poor.',
  },
  DOCUMENT_ENCRYPTED: {
    status: 422,
    retry: 'never',
    scope: 'document',
    text: 'The document is protected by a password.',
  },
  DOCUMENT_TOO_LARGE: {
    status: 413,
    retry: 'never',
    scope: 'document',
    text: 'The document expands beyond the limits.',
  },
  DOCUMENT_EMPTY: { status: 422, retry: 'never', scope: 'document', text: 'The document holds no content.' },
  CONVERSION_TIMEOUT: {
    status: 504,
    retry: 'never',
    scope: 'document',
    text: 'The conversion took longer than its time limit.',
  },
  CONVERSION_FAILED: { status: 500, retry: 'never', scope: 'document', text: 'The conversion failed.' },
  CONVERSION_TASK_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The conversion task does not exist, belongs to another tenant or has expired.',
  },
  CONVERSION_RESULT_NOT_READY: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The conversion task has no result: it is not finished, or it failed.',
  },
  CONVERSION_TARGET_FAILED: {
    status: 502,
    retry: 'never',
    scope: 'request',
    text: 'The result of a conversion could not be written to its target.',
  },
  SOURCE_FETCH_FAILED: { status: 502, retry: 'never', scope: 'document', text: 'A source could not be downloaded.' },
  // models
  LOCALMODEL_CONNECTION_FAILED: {
    status: 503,
    retry: 'outage',
    scope: 'run',
    text: 'The local model host cannot be reached.',
    lower: 'ollama_connection_failed',
  },
  LOCALMODEL_MODEL_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'run',
    text: 'The model is not on the local model host.',
    lower: 'ollama_model_not_found',
  },
  HOSTEDMODEL_AUTH_FAILED: {
    status: 502,
    retry: 'never',
    scope: 'run',
    text: 'The hosted model vendor refused the credentials.',
  },
  HOSTEDMODEL_MODEL_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'run',
    text: 'The hosted vendor does not have the model, or it is not accessible.',
  },
  UNSUPPORTED_PROVIDER: { status: 400, retry: 'never', scope: 'request', text: 'The model provider is unknown.' },
  INVALID_API_BASE: {
    status: 400,
    retry: 'never',
    scope: 'request',
    text: 'Requests to this address of a model provider are not allowed.',
  },
  MISSING_CONFIGURATION: {
    status: 400,
    retry: 'never',
    scope: 'request',
    text: 'The server lacks a setting that the request needs.',
  },
  EMBEDDING_DIMENSION_MISMATCH: {
    status: 400,
    retry: 'never',
    scope: 'run',
    text: 'The embedding does not have the expected dimension.',
  },
  EMBEDDING_REFUSED: { status: 422, retry: 'never', scope: 'document', text: 'The model host refused a text.' },
  MODEL_REQUEST_REFUSED: {
    status: 422,
    retry: 'never',
    scope: 'document',
    text: 'The model host refused a request.',
  },
  MODEL_ANSWER_INVALID: {
    status: 502,
    retry: 'never',
    scope: 'document',
    text: 'The answer of the model does not have the requested form.',
  },
  PAGE_MODEL_INVALID: {
    status: 500,
    retry: 'never',
    scope: 'document',
    text: 'A layout or table model in the models folder cannot be used.',
  },
  // search
  SEARCH_CONNECTION_FAILED: {
    status: 503,
    retry: 'outage',
    scope: 'run',
    text: 'The search index cannot be reached.',
    lower: 'opensearch_connection_failed',
  },
  INDEX_NOT_OWNED: {
    status: 403,
    retry: 'never',
    scope: 'run',
    text: 'The index, collection or alias belongs to somebody else, who has not granted you to write into it.',
  },
  SEARCH_INDEX_ERROR: {
    status: 500,
    retry: 'never',
    scope: 'run',
    text: 'An index operation failed.',
    lower: 'opensearch_index_error',
  },
  DOCUMENT_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The document does not exist, or you may not read it.',
    lower: 'not_found',
  },
  DOCUMENT_FORM_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The document is not kept in this form, or only the owner of its run may open it.',
  },
  REVIEW_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'There is no such document in the review queue, or it is of somebody else.',
  },
  REMOVAL_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The removal does not exist, or you did not ask for it.',
  },
  REMOVAL_INVALID_STATE: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'The removal is not in a state in which this can be done.',
  },
  INDEX_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The index does not exist, or you may neither own nor write it.',
  },
  // external services
  SAVED_SEARCH_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The saved search does not exist, or it is not shared with you.',
  },
  // outside world
  INVALID_CONFIGURATION: { status: 500, retry: 'never', scope: 'run', text: 'The configuration is invalid.' },
  EXTERNAL_SERVICE_ERROR: { status: 502, retry: 'few', scope: 'run', text: 'An external service failed.' },
  HTTP_ERROR: { status: 502, retry: 'few', scope: 'run', text: 'An HTTP request failed.' },
  CONNECTION_ERROR: { status: 503, retry: 'outage', scope: 'run', text: 'A network connection failed.' },
  INVALID_RESPONSE: { status: 502, retry: 'few', scope: 'run', text: 'A service sent an invalid response.' },
  DATABASE_UNAVAILABLE: { status: 503, retry: 'outage', scope: 'run', text: 'The database cannot be reached.' },
  WORKFLOW_ENGINE_UNAVAILABLE: { status: 503, retry: 'outage', scope: 'request', text: 'Temporal cannot be reached.' },
  TABLE_NOT_FOUND: { status: 410, retry: 'never', scope: 'run', text: 'A table or file is no longer available.' },
  STORAGE_ERROR: { status: 503, retry: 'outage', scope: 'run', text: 'The object store failed.' },
  // requests
  VALIDATION_ERROR: { status: 400, retry: 'never', scope: 'request', text: 'The request is invalid.' },
  WEBHOOK_NOT_FOUND: { status: 404, retry: 'never', scope: 'request', text: 'The webhook does not exist.' },
  WEBHOOK_NOT_DELIVERED: {
    status: 502,
    retry: 'few',
    scope: 'request',
    text: 'The receiver of a webhook did not take a message.',
  },
  API_KEY_NOT_FOUND: { status: 404, retry: 'never', scope: 'request', text: 'The API key does not exist.' },
  SERVICE_ACCOUNT_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The service account does not exist.',
  },
  SERVICE_ACCOUNT_ALREADY_EXISTS: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'A service account with the same name exists.',
  },
  UNAUTHORIZED: { status: 401, retry: 'never', scope: 'request', text: 'A valid token is required.' },
  FORBIDDEN: { status: 403, retry: 'never', scope: 'request', text: 'You may not do this.' },
  HOST_NOT_ALLOWED: {
    status: 421,
    retry: 'never',
    scope: 'request',
    text: 'The server does not answer to the name in the header Host (DOCLOOM_HOST_NAMES).',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    retry: 'never',
    scope: 'request',
    text: 'Pages of this origin may not open a WebSocket (CORS_ORIGINS).',
  },
  NOT_FOUND: { status: 404, retry: 'never', scope: 'request', text: 'No resource exists at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, retry: 'never', scope: 'request', text: 'The method is not allowed here.' },
  CONFLICT: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'The request conflicts with the state of the resource.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    retry: 'never',
    scope: 'request',
    text: 'The resource has changed since it was read: If-Match does not match its current ETag.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, retry: 'never', scope: 'request', text: 'The request body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retry: 'never',
    scope: 'request',
    text: 'The media type of the body is not supported.',
  },
  TOO_MANY_REQUESTS: { status: 429, retry: 'never', scope: 'request', text: 'Too many requests.' },
  SERVICE_UNAVAILABLE: { status: 503, retry: 'never', scope: 'request', text: 'The service is not available.' },
  INTERNAL_ERROR: { status: 500, retry: 'few', scope: 'document', text: 'An unexpected error occurred.' },
  // knowledge graphs
  GRAPH_CONFIGURATION_INVALID: {
    status: 400,
    retry: 'never',
    scope: 'request',
    text: 'The options, the template or the graph export is invalid.',
  },
  GRAPH_VALUE_INVALID: {
    status: 422,
    retry: 'never',
    scope: 'request',
    text: 'The graph cannot be written, for example because it is empty.',
  },
  GRAPH_EXTRACTION_FAILED: {
    status: 422,
    retry: 'few',
    scope: 'document',
    text: 'Nothing that the template describes could be extracted from the document.',
  },
  GRAPH_PIPELINE_FAILED: {
    status: 500,
    retry: 'never',
    scope: 'document',
    text: 'A stage of the graph pipeline failed.',
  },
  GRAPH_NOT_FOUND: {
    status: 404,
    retry: 'never',
    scope: 'request',
    text: 'The graph does not exist, belongs to somebody else or has expired.',
  },
  GRAPH_NOT_READY: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'The graph has no files: it is unfinished, failed or was cancelled.',
  },
  OPTIONAL_PACKAGE_MISSING: {
    status: 501,
    retry: 'never',
    scope: 'run',
    text: 'An optional package that the request needs is not installed.',
  },
  // local servers
  EMBEDDED_SERVER_FAILED: {
    status: 500,
    retry: 'never',
    scope: 'run',
    text: 'An embedded server could not be downloaded, built or started.',
  },
  INSTALLATION_MISMATCH: {
    status: 503,
    retry: 'never',
    scope: 'run',
    text: 'The database, the store and the index do not belong to the same installation.',
  },
  ALREADY_RUNNING: {
    status: 409,
    retry: 'never',
    scope: 'request',
    text: 'Docloom is already running in this data folder.',
  },
} as const satisfies Record<string, ErrorEntry>;

interface ErrorEntry {
  status: number;
  retry: 'never' | 'outage' | 'few';
  scope: 'document' | 'run' | 'request';
  text: string;
  lower?: string;
}

/** A code of the catalogue. Codes never change between versions: clients and retry policies depend on them. */
export type ErrorCode = keyof typeof errorCatalogue;

/** Optional data of an error. `target` names the invalid field, parameter or header. */
export interface ErrorDetails {
  target?: { type: 'parameter' | 'field' | 'header'; name: string };
  moreInfo?: string;
  /** One entry per problem when several are reported together. The error message is then a summary. */
  problems?: { message: string; target?: ErrorDetails['target'] }[];
  /** The delay requested by the failing service. */
  retryAfterMs?: number;
  /** Set when the caller must not wait and retry, whatever the code says. */
  isFinal?: boolean;
}

/** The only error class used across folders: a code for programs, and a message for people (given, expected, where). */
export class AppError extends Error {
  override readonly name = 'AppError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    override readonly cause?: unknown,
  ) {
    super(maskText(message));
  }
  /** The HTTP status of the code. */
  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** Returns an AppError unchanged; wraps any other error in an AppError with the code `fallback` and the error as its cause. */
export function asAppError(error: unknown, fallback: ErrorCode = 'INTERNAL_ERROR'): AppError {
  if (error instanceof AppError) return error;
  return new AppError(fallback, error instanceof Error ? error.message : String(error), {}, error);
}

/** The code as sent to clients: in upper case, or in the lower-case spelling of the reference system. */
export function spellCode(code: ErrorCode, letterCase: 'upper' | 'lower'): string {
  if (letterCase === 'upper') return code;
  const entry: ErrorEntry = errorCatalogue[code];
  return entry.lower ?? code.toLowerCase();
}
