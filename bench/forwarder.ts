import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Pool } from 'undici';

/**
 * A process that hands requests on to the address of its argument and the answers back, and looks at neither: the least that a
 * service before a search server costs. Writes its port to standard output.
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
