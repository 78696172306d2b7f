// What we use of a class that the driver brings no types for.
declare module 'mongodb/lib/cmap/connection' {
  import type { Socket } from 'node:net';

  export class Connection {
    readonly id: number | string;
    readonly address: string;
    readonly socket: Socket;
    writeCommand: (this: Connection, command: unknown, options: unknown) => Promise<void>;
  }
}
