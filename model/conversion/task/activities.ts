import type { CallbackEvent, ConvertEnd, ConvertInput, ConvertPlan, DocumentOutcome } from './work';

/** The activities of conversion tasks. All are safe to run twice. */
export interface ConvertActivities {
  /** Marks the task as started and returns its plan. If the task is a single small document, also finishes it. */
  begin_conversion: (input: ConvertInput) => Promise<ConvertPlan>;
  /** Lists the buckets among the sources to find their documents. */
  list_conversion_sources: (input: ConvertInput) => Promise<ConvertPlan>;
  /** Converts one document and stores its result. A failed conversion is also stored as a result. */
  convert_document: (input: DocumentCall) => Promise<DocumentOutcome>;
  /** Stores a failure for a document that crashed its worker in every attempt. */
  give_up_document: (input: DocumentCall & { message: string }) => Promise<DocumentOutcome>;
  /** Sends the result to its target. */
  deliver_conversion: (input: ConvertInput) => Promise<void>;
  /** Notifies the callbacks, one event after the other. Callbacks that do not answer are skipped. */
  tell_callbacks: (input: ConvertInput & { events: CallbackEvent[] }) => Promise<void>;
  /** Writes the final state unless the task already has one, and removes the sources. */
  finish_conversion: (input: ConvertEnd) => Promise<void>;
}

/** One document of a task. */
export interface DocumentCall {
  taskId: string;
  index: number;
  /** From the plan. The process named here knows that the document was not converted before. */
  freshFor?: string;
}
