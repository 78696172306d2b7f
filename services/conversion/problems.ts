import type { ErrorItem, ResultStatus } from '../../model/conversion/task/result';
import type { ErrorCategory, TaskFailure } from '../../model/conversion/task/task';
import type { AppError, ErrorCode } from '../../model/errors';

interface Kind {
  status: ResultStatus;
  component: ErrorItem['component_type'];
  category: ErrorCategory;
}

const backend: Kind = { status: 'failure', component: 'document_backend', category: 'backend_failure' };
const source: Kind = { status: 'failure', component: 'user_input', category: 'source_unavailable' };
const model: Kind = { status: 'failure', component: 'model', category: 'inference_failure' };
const policy: Kind = { status: 'failure', component: 'user_input', category: 'policy' };
/** Not available on this server; a retry would not help. */
const absent: Kind = { status: 'failure', component: 'model', category: 'policy' };

/** How each error code is reported for a document. Codes that are not listed are internal errors. */
const kinds: Partial<Record<ErrorCode, Kind>> = {
  FORMAT_UNSUPPORTED: { ...policy, status: 'skipped' },
  DOCUMENT_CORRUPT: backend,
  DOCUMENT_ENCRYPTED: backend,
  DOCUMENT_EMPTY: backend,
  CONVERSION_FAILED: backend,
  DOCUMENT_TOO_LARGE: { ...policy, component: 'document_backend' },
  SOURCE_TOO_LARGE: policy,
  OPTIONAL_PACKAGE_MISSING: absent,
  VALIDATION_ERROR: policy,
  CONVERSION_TIMEOUT: { status: 'failure', component: 'pipeline', category: 'timeout' },
  SOURCE_FETCH_FAILED: source,
  SOURCE_UNREADABLE: source,
  SOURCE_GONE: source,
  ADDRESS_NOT_ALLOWED: source,
  TABLE_NOT_FOUND: source,
  CONNECTION_ERROR: model,
  EXTERNAL_SERVICE_ERROR: model,
  INVALID_RESPONSE: model,
  HOSTEDMODEL_AUTH_FAILED: model,
  HOSTEDMODEL_MODEL_NOT_FOUND: model,
  MODEL_REQUEST_REFUSED: model,
  MODEL_ANSWER_INVALID: model,
};

/** Describes an error of a document to clients. `module` is the part of this service where it occurred. */
export function createProblem(
  error: AppError,
  { name, module }: { name: string; module: string },
): { status: ResultStatus; problem: ErrorItem } {
  const kind = kinds[error.code] ?? { status: 'failure', component: 'pipeline', category: 'internal' };
  const message =
    error.code === 'FORMAT_UNSUPPORTED' ? `File format not allowed: ${name}. ${error.message}` : error.message;
  return {
    status: kind.status,
    problem: {
      component_type: kind.component,
      module_name: module,
      error_message: message,
      category: kind.category,
      page_no: null,
    },
  };
}

/** Categories of failures that a retry may avoid. */
const retryable: ReadonlySet<ErrorCategory> = new Set(['capacity', 'timeout', 'source_unavailable', 'internal']);

/** Describes the failure of a task in the same form as errors of its documents. */
export function createTaskFailure(
  category: ErrorCategory,
  message: string,
  phase: TaskFailure['phase'] = 'execution',
): TaskFailure {
  return { category, message, retryable: retryable.has(category), phase, details: {} };
}
