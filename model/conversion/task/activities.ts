import type { CallbackEvent, ConvertEnd, ConvertInput, ConvertPlan, DocumentOutcome } from './work';

/** The activities of conversion tasks. All may run twice. */
export interface ConvertActivities {
  /** Marks the task started, and says what there is to do; a task of one small document is done with it. */
  begin_conversion: (input: ConvertInput) => Promise<ConvertPlan>;
  /** Lists the buckets among the sources, so that their documents are known. */
  list_conversion_sources: (input: ConvertInput) => Promise<ConvertPlan>;
  /** Converts one document and keeps its result. A document that cannot be converted is a result, too. */
  convert_document: (input: DocumentCall) => Promise<DocumentOutcome>;
  /** Keeps a failure for a document that ended its worker in every attempt. */
  give_up_document: (input: DocumentCall & { message: string }) => Promise<DocumentOutcome>;
  /** Sends the result to its target. */
  deliver_conversion: (input: ConvertInput) => Promise<void>;
  /** Tells the callbacks, one event after the other; a callback that does not answer is passed over. */
  tell_callbacks: (input: ConvertInput & { events: CallbackEvent[] }) => Promise<void>;
  /** Writes the final state unless there is one, and removes the sources. */
  finish_conversion: (input: ConvertEnd) => Promise<void>;
}

/** One document of a task. */
export interface DocumentCall {
  taskId: string;
  index: number;
  /** The plan's; the process that it names knows that the document was not converted before. */
  freshFor?: string;
}
