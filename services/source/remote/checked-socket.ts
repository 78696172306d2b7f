import { connect, type Socket } from 'node:net';
import { AppError } from '../../../model/errors';
import type { AddressGuard } from '../../net/address-guard';

const connectMs = 20_000;

/** Connects to an address of the host that the guard has checked. Throws the guard's error, or CONNECTION_ERROR. */
export async function openCheckedSocket(guard: AddressGuard, host: string, port: number): Promise<Socket> {
  const createUnreachableError = (error: unknown) =>
    error instanceof AppError
      ? error
      : new AppError('CONNECTION_ERROR', `${host}:${port} cannot be reached: ${(error as Error).message}.`, {}, error);
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
    socket.once('timeout', () => socket.destroy(new Error(`there was no answer within ${connectMs / 1_000} s`)));
    socket.once('error', (error) => reject(createUnreachableError(error)));
  });
}
