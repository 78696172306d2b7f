import { MongoNetworkError } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection';

let isDone = false;

/**
 * Makes commands on a closing socket fail. The driver (6.22) waits for the event `drain` of a full socket, which a closing
 * socket never emits. When a database dies under load, its monitor sometimes hits such a socket: it then waits forever, and
 * the process does not find the database again.
 */
export function failWritesToClosedSockets(): void {
  if (isDone) return;
  isDone = true;
  const { writeCommand } = Connection.prototype;
  Connection.prototype.writeCommand = async function (this: Connection, command, options) {
    const { socket } = this;
    let onClose = (): void => undefined;
    const closed = new Promise<never>((_resolve, reject) => {
      onClose = () => reject(new MongoNetworkError(`connection ${this.id} to ${this.address} closed`));
      if (socket.destroyed) onClose();
      else socket.once('close', onClose);
    });
    try {
      await Promise.race([closed, writeCommand.call(this, command, options)]);
    } finally {
      socket.off('close', onClose);
    }
  };
}
