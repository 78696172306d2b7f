import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.wire.MongoDatabaseHandler;
import de.bwaldvogel.mongo.wire.MongoExceptionHandler;
import de.bwaldvogel.mongo.wire.MongoWireMessageEncoder;
import de.bwaldvogel.mongo.wire.MongoWireProtocolHandler;
import de.bwaldvogel.mongo.wire.MongoWireReplyEncoder;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.h2.mvstore.MVStore;

/**
 * Serves the MongoDB protocol from one H2 file: file and socket, or file, host and port. The server has no passwords; a socket is a
 * file that only its owner may use.
 */
public class MongoServer {
  public static void main(String[] args) throws Exception {
    // 16 MB, the default, hold the pages of some thousand resources: the others are read and taken apart at each question.
    MVStore store = new MVStore.Builder().fileName(args[0]).cacheSize(64).open();
    // The default of 1000 ms loses acknowledged documents when the process is killed; 20 ms was measured to lose none.
    store.setAutoCommitDelay(20);
    MongoBackend backend = new H2Backend(store).version(ServerVersion.MONGO_5_0);
    if (args.length == 2) {
      serveSocket(backend, Path.of(args[1]));
    } else {
      var server = new de.bwaldvogel.mongo.MongoServer(backend);
      Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
      server.bind(args[1], Integer.parseInt(args[2]));
    }
    Thread.currentThread().join();
  }

  /** The library's server knows TCP only; these are its handlers behind a socket. */
  private static void serveSocket(MongoBackend backend, Path socket) throws Exception {
    Files.deleteIfExists(socket);
    var accepting = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    var working = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    ChannelGroup channels = new DefaultChannelGroup("mongodb-channels", working.next());
    Channel listening =
        new ServerBootstrap()
            .group(accepting, working)
            .channel(NioServerDomainSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 100)
            .localAddress(UnixDomainSocketAddress.of(socket))
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            new MongoWireReplyEncoder(),
                            new MongoWireMessageEncoder(),
                            new MongoWireProtocolHandler(),
                            new MongoDatabaseHandler(backend, channels),
                            new MongoExceptionHandler());
                  }
                })
            .bind()
            .syncUninterruptibly()
            .channel();
    Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  listening.close().syncUninterruptibly();
                  channels.close().awaitUninterruptibly();
                  backend.close();
                  accepting.shutdownGracefully();
                  working.shutdownGracefully();
                }));
  }
}
