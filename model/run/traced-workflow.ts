/** A workflow that has ended, as the sandbox reports it to the tracing of its worker. */
export interface EndedWorkflow {
  /** The type of the workflow. */
  name: string;
  /** The `traceparent` that it was started with. */
  parent: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Milliseconds since 1970. */
  startMs: number;
  /** The code of its failure. */
  failed?: string;
}
