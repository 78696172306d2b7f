import { Agent, request } from 'node:http';

/** A document as it is sent. */
export interface File {
  name: string;
  bytes: Uint8Array;
}
/** The state of a task as the service reports it. */
export interface Descriptor {
  task_id: string;
  task_status: string;
  task_position: number | null;
}
/**
 * A client of a conversion service over keep-alive connections. It needs little processor time, so that the figures show the
 * service and not the client.
 */
export interface ServiceClient {
  /** Converts to Markdown and JSON, and reads the whole answer. Throws unless it reports success. */
  convert(file: File): Promise<void>;
  submit(files: readonly File[]): Promise<Descriptor>;
  get(id: string, waitSeconds?: number): Promise<Descriptor>;
  untilEnd(id: string): Promise<Descriptor>;
  close(): void;
}

const boundary = '----docloom-bench-5d7c1f';

/** Opens at most this many connections. */
export function createServiceClient(url: string, connections: number): ServiceClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const call = (method: 'GET' | 'POST', path: string, body?: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const headers = body
        ? { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': body.length }
        : {};
      const sent = request(new URL(path, url), { method, agent, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(parts);
          if ((response.statusCode ?? 500) < 300) return resolve(answer);
          return reject(new Error(`${method} ${path}: ${response.statusCode} ${answer.toString().slice(0, 500)}`));
        });
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed the idle connection just as this request arrived.
        if (sent.reusedSocket && error.code === 'ECONNRESET') call(method, path, body).then(resolve, reject);
        else reject(error);
      });
      sent.end(body);
    });
  const get = async (id: string, waitSeconds = 0) =>
    JSON.parse((await call('GET', `/v1/status/poll/${id}?wait=${waitSeconds}`)).toString()) as Descriptor;
  return {
    async convert(file) {
      const answer = await call('POST', '/v1/convert/file', buildForm([file]));
      // The members always have this order, and the contents before them may be long.
      if (!/"status": ?"success"/.test(answer.subarray(-5_000).toString()))
        throw new Error(`${file.name}: ${answer.subarray(-1_000).toString()}`);
    },
    submit: async (files) =>
      JSON.parse((await call('POST', '/v1/convert/file/async', buildForm(files))).toString()) as Descriptor,
    get,
    async untilEnd(id) {
      for (;;) {
        const task = await get(id, 20);
        if (task.task_status === 'success' || task.task_status === 'failure') return task;
      }
    },
    close: () => agent.destroy(),
  };
}

function buildForm(files: readonly File[]): Buffer {
  const parts: Uint8Array[] = [];
  const head = (disposition: string) =>
    parts.push(Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`));
  for (const { name, bytes } of files) {
    head(`name="files"; filename="${name}"`);
    parts.push(bytes, Buffer.from('\r\n'));
  }
  for (const format of ['md', 'json']) {
    head('name="to_formats"');
    parts.push(Buffer.from(`${format}\r\n`));
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return Buffer.concat(parts);
}
