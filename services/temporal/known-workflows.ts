import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type Connection,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { callTemporal } from './call';
import { openTemporal, type TemporalOptions } from './client';

/** Workflows whose ids were chosen before they were started, so that all of this may be done twice. */
export interface KnownWorkflows {
  client: Client;
  connection: Connection;
  /** WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
  readonly call: <T>(action: () => Promise<T>) => Promise<T>;
  /** `start` starts a workflow under an id that is not used again; harmless when that has been done. */
  readonly startOnce: (start: () => Promise<unknown>) => Promise<void>;
  /** Asks the workflow to end; harmless when it has. */
  readonly cancel: (id: string) => Promise<void>;
  /** False when there is no such workflow or it has ended. */
  readonly isRunning: (id: string) => Promise<boolean>;
  /** Waits a few seconds until the workflow has ended, then terminates it. Its id is free afterwards. */
  readonly settle: (id: string) => Promise<void>;
}

/** How long a workflow with nothing left but its last activity may take to end, and how often it is looked at. */
const settleMs = 5_000;
const lookEveryMs = 100;

/** Connects lazily; whoever opens it closes the connection. */
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
    cancel: (id) =>
      call(async () => {
        try {
          await client.workflow.getHandle(id).cancel();
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      }),
    isRunning,
    async settle(id) {
      for (const end = Date.now() + settleMs; Date.now() < end; await sleep(lookEveryMs))
        if (!(await isRunning(id))) return;
      await call(async () => {
        try {
          await client.workflow.getHandle(id).terminate('What it worked for was removed.');
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      });
    },
  };
}
