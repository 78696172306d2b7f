import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import org.h2.mvstore.MVStore;

/** The embedded database of the first release, which knew no ordered indexes: file, host, port. */
public class FirstMongoServer {
  public static void main(String[] args) throws Exception {
    MVStore store = MVStore.open(args[0]);
    store.setAutoCommitDelay(20);
    var server = new de.bwaldvogel.mongo.MongoServer(new H2Backend(store).version(ServerVersion.MONGO_5_0));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    server.bind(args[1], Integer.parseInt(args[2]));
    Thread.currentThread().join();
  }
}
