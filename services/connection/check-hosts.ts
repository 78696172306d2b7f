import type { ConnectionType } from '../../model/connection/connection';
import type { ConnectionAnswer } from '../../model/connection/wire-check';
import { asAppError, type ErrorCode } from '../../model/errors';
import { createTimeLimit } from '../../model/time/time-limit';
import type { AddressGuard } from '../net/address-guard';
import { openCheckedSocket } from '../source/remote/checked-socket';

/** The port of a host that names none. Types without an entry have no usual one. */
const usualPorts: Readonly<Partial<Record<ConnectionType, number>>> = {
  model: 443,
  conversion: 443,
  web: 443,
  s3: 443,
  azure: 443,
  gcs: 443,
  sharepoint: 443,
  google_drive: 443,
  confluence: 443,
  sftp: 22,
  imap: 993,
  smb: 445,
  opensearch: 9200,
  elasticsearch: 9200,
  milvus: 19_530,
  postgresql: 5432,
};
const connectMs = 5_000;

/** The reasons shown to users. System messages are not shown, because they contain IP addresses. */
const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  ADDRESS_NOT_ALLOWED:
    'Flows may not connect to this host: private addresses need an entry in DOCLOOM_ALLOWED_HOSTS, and the servers of this installation are never contacted.',
  ADDRESS_INVALID: 'The host name does not exist, or the port is not between 1 and 65,535.',
};

/** Whether flows may connect to a host of a connection, and a server answers there. Nothing is sent, and the secret is not used. */
export async function checkHost(
  host: string,
  { type, guard, signal }: { type: ConnectionType; guard: AddressGuard; signal: AbortSignal },
): Promise<ConnectionAnswer> {
  if (host.startsWith('operator:')) return answerUnknown('The code of the operator decides where the secret goes.');
  if (host.startsWith('*.'))
    return answerUnknown('An entry that starts with `*.` covers many hosts, so none of them is contacted.');
  const [, name = host, namedPort] = /^(.*):(\d{1,5})$/.exec(host) ?? [];
  const port = namedPort === undefined ? usualPorts[type] : Number(namedPort);
  if (port === undefined) return answerUnknown('The entry names no port, and the type has no usual one.');
  const place = namedPort === undefined ? `port ${port}, the usual one` : `port ${port}`;
  const limit = AbortSignal.any([signal, createTimeLimit(connectMs)]);
  try {
    const socket = await openCheckedSocket(guard, name.replace(/^\[(.*)\]$/, '$1'), port, limit);
    socket.destroy();
    return { outcome: 'granted', message: `A server answers at ${place}.` };
  } catch (error) {
    signal.throwIfAborted();
    const { code } = asAppError(error, 'CONNECTION_ERROR');
    // A flow may name another port of a host that is allowed at every port.
    const isGuess = namedPort === undefined && reasons[code] === undefined;
    const message = reasons[code] ?? `No server answers at ${place}.`;
    return isGuess ? answerUnknown(message) : { outcome: 'denied', code, message };
  }
}

function answerUnknown(message: string): ConnectionAnswer {
  return { outcome: 'unknown', message };
}
