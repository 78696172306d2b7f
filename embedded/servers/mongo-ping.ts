import { connect } from 'node:net';

const opMessage = 2013;

/** True when a MongoDB server answers a ping. A process that hangs still accepts connections. The driver belongs to `services`. */
export function answersPing(
  to: { host: string; port: number } | { path: string },
  timeoutMs = 3_000,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(to);
    const end = (result: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    socket.once('connect', () => socket.write(buildPing()));
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}

/** The command `{ ping: 1, $db: 'admin' }` as an OP_MSG of the wire protocol. */
function buildPing(): Buffer {
  const fields = Buffer.from('\u0010ping\0\u0001\0\0\0\u0002$db\0\u0006\0\0\0admin\0\0', 'latin1');
  const document = Buffer.concat([encodeInt(fields.length + 4), fields]);
  // Flags, then the kind of the only section: a document.
  const body = Buffer.concat([encodeInt(0), Buffer.of(0), document]);
  const header = [16 + body.length, 1, 0, opMessage].map(encodeInt);
  return Buffer.concat([...header, body]);
}

function encodeInt(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
