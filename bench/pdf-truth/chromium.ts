import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type RawData, WebSocket } from 'ws';
import { type Chromium, findChromium } from '../support/find-chromium';

/** A browser that prints pages. */
export interface Printer {
  /** Prints the HTML without the browser's own headers and footers; with tags only on request. */
  print(html: string, isTagged?: boolean): Promise<Uint8Array>;
  close(): Promise<void>;
}

interface Answer {
  id?: number;
  method?: string;
  sessionId?: string;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** Starts the browser in `CHROMIUM`, or the one of the tests; undefined if there is none. */
export async function startPrinter(): Promise<Printer | undefined> {
  const chromium = findChosenBrowser();
  if (!chromium) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'docloom-chromium-'));
  const browser = spawn(
    chromium.executablePath,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      `--user-data-dir=${folder}`,
      '--remote-debugging-port=0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: chromium.env },
  );
  const clean = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const address = await readAddress(browser).catch(() => undefined);
  if (address === undefined) {
    browser.kill();
    clean();
    return undefined;
  }
  const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 2 ** 30 });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const send = createSend(socket);
  return {
    async print(html, isTagged = false) {
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      const session = String(sessionId);
      const { frameTree } = await send('Page.getFrameTree', {}, session);
      const { frame } = frameTree as { frame: { id: string } };
      await send('Page.setDocumentContent', { frameId: frame.id, html }, session);
      const options = { printBackground: true, preferCSSPageSize: true, generateTaggedPDF: isTagged };
      const { data } = await send('Page.printToPDF', options, session);
      await send('Target.closeTarget', { targetId });
      return new Uint8Array(Buffer.from(String(data), 'base64'));
    },
    async close() {
      const ended = new Promise((resolve) => browser.once('exit', resolve));
      socket.close();
      browser.kill();
      await ended;
      clean();
    },
  };
}

function findChosenBrowser(): Chromium | undefined {
  const named = process.env['CHROMIUM'];
  if (named !== undefined) return { executablePath: named };
  try {
    return findChromium();
  } catch {
    return undefined;
  }
}

/** The address that the browser prints when it is ready. */
function readAddress(browser: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    browser.once('error', reject).once('exit', () => reject(new Error(`the browser has ended: ${text}`)));
    browser.stderr?.on('data', (part: Buffer) => {
      text += String(part);
      const address = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
      if (address) resolve(address);
    });
  });
}

/** Sends a command of the browser's protocol and waits for its answer. */
function createSend(socket: WebSocket) {
  const waiting = new Map<number, { resolve: (value: Record<string, unknown>) => void; reject: (e: Error) => void }>();
  let last = 0;
  socket.on('message', (data: RawData) => {
    const { id, result, error } = JSON.parse((data as Buffer).toString()) as Answer;
    const asked = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || !asked) return;
    waiting.delete(id);
    if (error) asked.reject(new Error(error.message));
    else asked.resolve(result ?? {});
  });
  return (method: string, params: object, sessionId?: string) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const id = (last += 1);
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    });
}
