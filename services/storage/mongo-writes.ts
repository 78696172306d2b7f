import { MongoNetworkError } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection';

let isDone = false;

/**
 * Makes commands on a socket that closes fail. The driver (6.22) waits for the event `drain` of a socket that takes no more, which never comes
 * from one that is closing. When a database dies under load, its monitor hits such a socket once in a few times: it then waits
 * for ever, and the process does not find the database again.
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
