// PGlite loads its own modules, which jest's modules cannot: it runs in a process of its own, and prints its address.
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

const db = await PGlite.create({ extensions: { vector } });
const server = new PGLiteSocketServer({ db, port: 0, host: '127.0.0.1', maxConnections: 100 });
await server.start();
process.stdout.write(`${server.getServerConn()}\n`);
process.stdin.on('close', () => process.exit(0)).resume();
