import { once } from 'node:events';
import net from 'node:net';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';

/** A mail server that a flow names may answer without end. The worker reads a limited part of it and ends the listing. */
const endlessLimit = 400 * 1024 * 1024;
type Answers = Partial<Record<string, (tag: string, send: Send) => unknown>>;
type Send = (text: string) => Promise<boolean>;
let greeting: (send: Send) => Promise<unknown>;
let answers: Answers;
let sent = 0;
let server: net.Server;
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });

beforeEach(async () => {
  sent = 0;
  greeting = (send) => send('* OK [CAPABILITY IMAP4rev1 ACL] ready\r\n');
  server = net.createServer((socket) => serve(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => server.close());

function serve(socket: net.Socket): void {
  let waiting = () => {};
  socket.on('error', () => undefined);
  for (const event of ['drain', 'close']) socket.on(event, () => waiting());
  /** False as soon as the connection is closed. */
  const send: Send = async (text) => {
    if (socket.destroyed || sent > endlessLimit) return false;
    sent += text.length;
    if (!socket.write(text)) await new Promise((resolve) => (waiting = resolve as () => void));
    return !socket.destroyed;
  };
  let rest = '';
  socket.on('data', (bytes) => {
    const lines = `${rest}${bytes.toString('latin1')}`.split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [tag = '', first = '', second = ''] = line.split(' ');
      const command = first === 'UID' ? `UID ${second}` : first;
      const answer = answers[command] ?? usual[command];
      void (async () => {
        await answer?.(tag, send);
        await send(`${tag} OK done\r\n`);
      })();
    }
  });
  void greeting(send);
}
const usual: Answers = {
  CAPABILITY: (_tag, send) => send('* CAPABILITY IMAP4rev1 ACL\r\n'),
  LIST: (_tag, send) => send('* LIST () "/" "INBOX"\r\n'),
  EXAMINE: (_tag, send) => send('* 1 EXISTS\r\n* OK [UIDVALIDITY 7] .\r\n* OK [UIDNEXT 9] .\r\n'),
  'UID SEARCH': (_tag, send) => send('* SEARCH 1\r\n'),
  'UID FETCH': (_tag, send) => send('* 1 FETCH (UID 1 RFC822.SIZE 5 INTERNALDATE "01-Jan-2026 00:00:00 +0000")\r\n'),
};
/** Repeats a text until the connection ends. */
async function sendWithoutEnd(send: Send, write: (at: number) => string): Promise<void> {
  for (let at = 0; ; at += 64) {
    const part = Array.from({ length: 64 }, (_, step) => write(at + step)).join('');
    if (!(await send(part))) return;
  }
}
const filler = 'x'.repeat(2_000);
/** Long enough that client and server have 100,000 lines to handle, not a million. */
const middling = 'x'.repeat(150);

async function list(): Promise<string[]> {
  const { port } = server.address() as net.AddressInfo;
  const config = {
    provider: 'imap',
    connection_params: { host: '127.0.0.1', port, security: 'none' },
    credentials: { username: 'ada', password: 'secret' },
  };
  const names: string[] = [];
  for await (const { relativePath } of sources.list('imap', config, new AbortController().signal))
    names.push(relativePath);
  return names;
}

test('a server that answers as it should is listed', async () => {
  answers = {};
  expect(await list()).toEqual(['INBOX/7.1.eml']);
});

test.each<[string, Answers]>([
  ['folders', { LIST: (_tag, send) => sendWithoutEnd(send, (at) => `* LIST () "/" "f${at}${middling}"\r\n`) }],
  [
    'folders with long names',
    { LIST: (_tag, send) => sendWithoutEnd(send, (at) => `* LIST () "/" "${at}${filler}"\r\n`) },
  ],
  ['answers that nobody asked for', { LIST: (_tag, send) => sendWithoutEnd(send, (at) => `* OK ${at} ${filler}\r\n`) }],
  ['answers to the login', { LOGIN: (_tag, send) => sendWithoutEnd(send, (at) => `* OK ${at} ${filler}\r\n`) }],
  ['a line', { LIST: async (_tag, send) => (await send('* LIST () "/" "')) && sendWithoutEnd(send, () => filler) }],
  ['flags of a folder', { EXAMINE: (_tag, send) => sendWithoutEnd(send, (at) => `* FLAGS (\\F${at} ${filler})\r\n`) }],
  [
    'subjects',
    {
      'UID FETCH': (_tag, send) =>
        sendWithoutEnd(
          send,
          (at) => `* ${at + 1} FETCH (UID ${at + 1} ENVELOPE (NIL "${filler}" NIL NIL NIL NIL NIL NIL NIL NIL))\r\n`,
        ),
    },
  ],
])('%s without end end the listing', async (_what, lies) => {
  answers = lies;
  await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  expect(sent).toBeLessThan(endlessLimit / 2);
});

test('a greeting without end is not read to its end', async () => {
  answers = {};
  greeting = async (send) => (await send('* OK ')) && sendWithoutEnd(send, () => filler);
  await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  expect(sent).toBeLessThan(endlessLimit / 2);
});

test('a literal that is larger than any answer is refused before it is sent', async () => {
  answers = { LIST: (_tag, send) => send('* LIST () "/" {99999999999}\r\n') };
  await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  expect(sent).toBeLessThan(100_000);
});

/** Reads the first message of the inbox. */
function readMessage(signal: AbortSignal): Promise<Uint8Array> {
  const { port } = server.address() as net.AddressInfo;
  const config = {
    provider: 'imap',
    connection_params: { host: '127.0.0.1', port, security: 'none' },
    credentials: { username: 'ada', password: 'secret' },
  };
  const message = `imap://127.0.0.1:${port}/INBOX;UIDVALIDITY=7/;UID=1`;
  return sources.read('imap', message, config, signal);
}

test('a message that never arrives in full does not hold a run that is cancelled', async () => {
  const run = new AbortController();
  const left = new Error('the run was cancelled');
  let fetches = 0;
  answers = {
    'UID FETCH': async (_tag, send) => {
      fetches += 1;
      await send('* 1 FETCH (UID 1 BODY[] {1000}\r\nhalf of it');
      run.abort(left);
      return new Promise(() => {});
    },
  };
  await expect(readMessage(run.signal)).rejects.toBe(left);
  expect(fetches).toBe(1);
});

test('a connection that ends in the middle of a message does not make the message count as deleted', async () => {
  server.on('connection', (socket) => {
    answers = {
      'UID FETCH': async (_tag, send) => {
        await send('* 1 FETCH (UID 1 BODY[] {1000}\r\nhalf of it');
        socket.destroy();
        return new Promise(() => {});
      },
    };
  });
  await expect(readMessage(new AbortController().signal)).rejects.toMatchObject({
    code: 'CONNECTION_ERROR',
  });
});
