/** The base of all errors of the graph library, with `details` for programs. `retryable` says whether a retry can help. */
export class GraphLibraryError extends Error {
  override readonly name: string = 'GraphLibraryError';
  readonly retryable: boolean = false;
  constructor(
    message: string,
    readonly details: Record<string, unknown> = {},
    override readonly cause?: unknown,
  ) {
    super(message);
  }
}

/** Invalid options, an invalid template, or a file that is not a graph export. Never retryable. */
export class ConfigurationError extends GraphLibraryError {
  override readonly name: string = 'ConfigurationError';
}

/** Nothing usable could be read from the document; `details.reason` names the cause. */
export class ExtractionError extends GraphLibraryError {
  override readonly name: string = 'ExtractionError';
  override readonly retryable: boolean;
  constructor(message: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(message, details, cause);
    this.retryable = details['retryable'] === true;
  }
}

/** A stage of the pipeline failed; `details.stage` names it and `cause` is what it threw. */
export class PipelineError extends GraphLibraryError {
  override readonly name: string = 'PipelineError';
}

/**
 * The full text of an error: its message, its details on one line, and its cause on another. For other errors only the message.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof GraphLibraryError)) return error.message;
  const { message, details, cause } = error;
  const pairs = Object.entries(details).map(([key, value]) => `${key}=${formatDetail(value)}`);
  return [
    message,
    ...(pairs.length > 0 ? [`Details: ${pairs.join(', ')}`] : []),
    ...(cause instanceof Error ? [`Caused by: ${cause.name}: ${cause.message}`] : []),
  ].join('\n');
}

const formatDetail = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Data that the library cannot build, merge or write, such as a graph without nodes. Named like the peer's error. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}
