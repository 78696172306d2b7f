import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Pool } from 'undici';

/**
 * A process that forwards requests to the address in its argument and returns the responses unread: the minimum cost of a
 * service in front of a search server. Writes its port to standard output.
 */
const pool = new Pool(process.argv[2] ?? '', { connections: 16 });
const server = createServer((request, response) => {
  const forward = async () => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: request.url ?? '/',
      headers: { 'content-type': 'application/json' },
      body: await buffer(request),
    });
    const answer = Buffer.from(await body.arrayBuffer());
    response.writeHead(statusCode, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
  };
  forward().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address ? address.port : ''}\n`);
});
