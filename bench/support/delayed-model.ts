import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

// A thread with a model server of the OpenAI protocol whose answers take a fixed time. It reports its port at the start. To
// every message it replies with the requests since the last message: their number, the maximum number at a time, and the milliseconds
// from the first request to the last answer.
const { delayMs } = workerData as { delayMs: number };
let asked = 0;
let open = 0;
let maxOpen = 0;
let first = 0;
let last = 0;

const http = createServer((request, response) => {
  asked++;
  if (asked === 1) first = performance.now();
  maxOpen = Math.max(maxOpen, ++open);
  const due = Date.now() + delayMs;
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const content = JSON.stringify({ number: 'L-1', entries: findEntries(Buffer.concat(parts).toString()) });
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    setTimeout(() => {
      open--;
      last = performance.now();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'c', object: 'chat.completion', model: 'm', choices }));
    }, due - Date.now());
  });
});
/** Every `Entry 7 is of 12.50 EUR` of the question, each once per amount. */
function findEntries(question: string) {
  const found = [...question.matchAll(/((?:Entry|Account) \d+) is of (\d+\.\d\d)/g)];
  return found.map(([, name, amount]) => ({ name, amount }));
}

http.listen(0, '127.0.0.1', () => parentPort?.postMessage((http.address() as AddressInfo).port));
parentPort?.on('message', () => {
  parentPort?.postMessage({ asked, maxOpen, tookMs: last - first });
  asked = 0;
  maxOpen = 0;
});
