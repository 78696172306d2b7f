import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import org.h2.mvstore.MVStore;

/** Serves the MongoDB protocol from one H2 file: file, host, port. */
public class MongoServer {
  public static void main(String[] args) throws Exception {
    // 16 MB, the default, hold the pages of some thousand resources: the others are read and taken apart at each question.
    MVStore store = new MVStore.Builder().fileName(args[0]).cacheSize(64).open();
    // The default of 1000 ms loses acknowledged documents when the process is killed; 20 ms was measured to lose none.
    store.setAutoCommitDelay(20);
    var server = new de.bwaldvogel.mongo.MongoServer(new H2Backend(store).version(ServerVersion.MONGO_5_0));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    server.bind(args[1], Integer.parseInt(args[2]));
    Thread.currentThread().join();
  }
}
