import { once } from 'node:events';
import net from 'node:net';

/** A load balancer of connections, as a Service of Kubernetes is one: it knows nothing of HTTP. */
export interface Balancer {
  address: string;
  close(): void;
}

/** Takes turns among the servers on these ports of the loopback interface, and passes over those that refuse. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<net.Socket>();
  let turn = 0;
  const connect = async (left: number): Promise<net.Socket> => {
    const target = net.connect(ports[turn++ % ports.length] as number, '127.0.0.1');
    try {
      await once(target, 'connect');
      return target;
    } catch (error) {
      if (left <= 1) throw error;
      return connect(left - 1);
    }
  };
  const server = net.createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy()).on('close', () => sockets.delete(client));
    connect(ports.length).then(
      (target) => {
        target.on('error', () => client.destroy());
        client.on('close', () => target.destroy());
        client.pipe(target).pipe(client);
      },
      () => client.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
