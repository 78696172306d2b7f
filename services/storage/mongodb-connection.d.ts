// The parts that we use of a class for which the driver has no types.
declare module 'mongodb/lib/cmap/connection' {
  import type { Socket } from 'node:net';

  export class Connection {
    readonly id: number | string;
    readonly address: string;
    readonly socket: Socket;
    writeCommand: (this: Connection, command: unknown, options: unknown) => Promise<void>;
  }
}
