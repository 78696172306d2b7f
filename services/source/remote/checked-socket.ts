import { connect, type Socket } from 'node:net';
import { AppError } from '../../../model/errors';
import type { AddressGuard } from '../../net/address-guard';

const connectMs = 20_000;

/** Connects to an address of the host that the guard has checked. Throws the guard's error, or CONNECTION_ERROR. */
export async function openCheckedSocket(
  guard: AddressGuard,
  host: string,
  port: number,
  signal?: AbortSignal,
): Promise<Socket> {
  // The text of the system names the address, which only operators of a private network may know.
  const createUnreachableError = (error: unknown) =>
    error instanceof AppError
      ? error
      : new AppError('CONNECTION_ERROR', `${host}:${port} cannot be reached${describeReason(error)}.`, {}, error);
  const addresses = await guard.judge(host, port).catch((error: unknown) => {
    throw createUnreachableError(error);
  });
  const [first] = addresses;
  return await new Promise((resolve, reject) => {
    // The checked address, not the name, which could resolve differently a moment later.
    const socket = connect({ host: first?.address ?? '', port, timeout: connectMs });
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    socket.once('error', (error) => reject(createUnreachableError(error)));
    const stop = () => void socket.destroy(Object.assign(new Error('ended'), { code: 'ETIMEDOUT' }));
    signal?.addEventListener('abort', stop, { once: true });
    socket.once('close', () => signal?.removeEventListener('abort', stop));
    if (signal?.aborted) stop();
  });
}

function describeReason(error: unknown): string {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' && /^[A-Z_0-9]+$/.test(code) ? ` (${code})` : '';
}
