import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { documentToJson } from '../../document/json/write';
import { convertBytes } from '../../formats/convert';
import type { PageRange } from '../../services/conversion/page/kept-pages';
import { createKeptPages } from '../../threads/conversion/kept-pages';
import { print, runCommand } from '../support/command';
import { makeLongPdf } from '../support/long-document';

const rounds = 3;

/**
 * Measures the cost of keeping the pages of a PDF of 1,000 pages, alternating with conversions that keep nothing, and
 * the time saved by continuing after the last range. Exits with 1 if a document differs.
 */
runCommand(async () => {
  const bytes = await makeLongPdf(1_000);
  let whole = '';
  for (let round = 1; round <= rounds; round += 1) {
    const plain = await convert(bytes);
    const kept = await convert(bytes, []);
    const resumed = await convert(bytes, kept.ranges);
    whole ||= plain.json;
    const megabytes = kept.ranges.reduce((sum, range) => sum + range.bytes.length, 0) / 1e6;
    const last = Math.max(0, ...kept.ranges.map(({ to }) => to));
    print(
      `${plain.seconds.toFixed(2)} s of processor time; with ${kept.ranges.length} ranges (${megabytes.toFixed(1)} MB) kept ` +
        `${kept.seconds.toFixed(2)} s; after page ${last} ${resumed.seconds.toFixed(2)} s, ${resumed.pagesRead} pages read`,
    );
    if (kept.json !== whole || resumed.json !== whole) return 1;
  }
  return 0;
});

/** Converts in this thread; without `ranges`, keeps nothing. */
async function convert(bytes: Uint8Array, ranges?: PageRange[]) {
  const { port1, port2 } = new MessageChannel();
  const read = new Set<number>();
  const before = process.cpuUsage();
  const { document } = await convertBytes({
    bytes: bytes.slice(),
    name: 'long.pdf',
    onPage: (pageNo) => void read.add(pageNo),
    ...(ranges ? { keptPages: createKeptPages({ ranges, port: port2 }, bytes) } : {}),
  });
  const { user, system } = process.cpuUsage(before);
  const sent: PageRange[] = [];
  for (let next = receiveMessageOnPort(port1); next; next = receiveMessageOnPort(port1))
    sent.push(next.message as PageRange);
  port1.close();
  read.delete(0);
  return { seconds: (user + system) / 1e6, json: documentToJson(document), ranges: sent, pagesRead: read.size };
}
