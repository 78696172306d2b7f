import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type Connection,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { callTemporal } from './call';
import { openTemporal, type TemporalOptions } from './client';

/** Operations on workflows whose ids are chosen before they are started, which makes every operation idempotent. */
export interface KnownWorkflows {
  client: Client;
  connection: Connection;
  /** Throws WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
  readonly call: <T>(action: () => Promise<T>) => Promise<T>;
  /** Runs `start`, which starts a workflow under an id that is never reused. Does nothing when it has already been started. */
  readonly startOnce: (start: () => Promise<unknown>) => Promise<void>;
  /** Requests cancellation. Does nothing when the workflow has already ended. */
  readonly cancel: (id: string) => Promise<void>;
  /** False when the workflow does not exist or has ended. */
  readonly isRunning: (id: string) => Promise<boolean>;
  /** Waits a few seconds for the workflow to end, then terminates it. Its id is free afterwards. */
  readonly settle: (id: string) => Promise<void>;
}

/** How long a workflow may take to end when only its last activity is left, and the pause between checks. */
const settleMs = 5_000;
const pollMs = 100;

/** Connects lazily. The caller closes the connection. */
export function openKnownWorkflows(options: TemporalOptions): KnownWorkflows {
  const { connection, client } = openTemporal(options);
  const call = <T>(action: () => Promise<T>) => callTemporal({ connection, address: options.address }, action);
  const isRunning = (id: string) =>
    call(async () => {
      try {
        const { status } = await client.workflow.getHandle(id).describe();
        return status.name === 'RUNNING';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    });
  return {
    client,
    connection,
    call,
    startOnce: (start) =>
      call(async () => {
        try {
          await start();
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    cancel: (id) => call(() => ignoreNotFound(client.workflow.getHandle(id).cancel())),
    isRunning,
    async settle(id) {
      for (const end = Date.now() + settleMs; Date.now() < end; await sleep(pollMs)) if (!(await isRunning(id))) return;
      const reason = 'Its run, task or graph was removed.';
      await call(() => ignoreNotFound(client.workflow.getHandle(id).terminate(reason)));
    },
  };
}

/** A workflow that has ended is not found either. */
async function ignoreNotFound(action: Promise<unknown>): Promise<void> {
  await action.catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
}
