import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DatabaseResolver;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.h2.H2Collection;
import de.bwaldvogel.mongo.backend.h2.H2Database;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.Oplog;
import de.bwaldvogel.mongo.wire.MongoDatabaseHandler;
import de.bwaldvogel.mongo.wire.MongoExceptionHandler;
import de.bwaldvogel.mongo.wire.MongoWireMessageEncoder;
import de.bwaldvogel.mongo.wire.MongoWireProtocolHandler;
import de.bwaldvogel.mongo.wire.MongoWireReplyEncoder;
import de.bwaldvogel.mongo.wire.bson.BsonDecoder;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import de.bwaldvogel.mongo.wire.message.MongoQuery;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.ObjectDataType;

/**
 * Serves the MongoDB protocol from one H2 file: file and socket, or file, host and port. The server has no passwords; a socket is a
 * file that only its owner may use.
 */
public class MongoServer {
  public static void main(String[] args) throws Exception {
    // 16 MB, the default, hold the pages of some thousand resources: the others are read and taken apart at each question.
    // Without its background thread, which moves pages that the building of an index reads.
    MVStore store =
        new MVStore.Builder()
            .fileName(args[0])
            .cacheSize(64)
            .autoCommitDisabled()
            .backgroundExceptionHandler((thread, failure) -> Committer.giveUp(failure))
            .open();
    IndexedBackend indexed = new IndexedBackend(store);
    indexed.markComplete();
    store.commit();
    new Flusher(store).start();
    // The background thread reclaims that space. Its own commits do not wait for the file, so that a response could
    // overtake one; at this interval it makes none unless the store was idle, since the committer is always earlier.
    store.setAutoCommitDelay(1000);
    MongoBackend backend = indexed.version(ServerVersion.MONGO_5_0);
    boolean isSocket = args.length == 2;
    if (isSocket) Files.deleteIfExists(Path.of(args[1]));
    SocketAddress address =
        isSocket ? UnixDomainSocketAddress.of(args[1]) : new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    serve(backend, new Committer(store), address);
    if (isSocket) Files.setPosixFilePermissions(Path.of(args[1]), PosixFilePermissions.fromString("rw-------"));
    Thread.currentThread().join();
  }

  /** The handlers of the library's server, which knows TCP only and responds before a write is in the file. */
  private static void serve(MongoBackend backend, Committer committer, SocketAddress address) {
    var accepting = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    var working = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    ChannelGroup channels = new DefaultChannelGroup("mongodb-channels", working.next());
    Class<? extends ServerChannel> type =
        address instanceof UnixDomainSocketAddress ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class;
    Channel listening =
        new ServerBootstrap()
            .group(accepting, working)
            .channel(type)
            .option(ChannelOption.SO_BACKLOG, 100)
            .localAddress(address)
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
                            committer,
                            new MongoDatabaseHandler(backend, channels),
                            new MongoExceptionHandler());
                  }
                })
            .bind()
            .syncUninterruptibly()
            .channel();
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

/**
 * Holds responses back until the changes that they acknowledge are in the file, so that a killed process loses none of them. While one
 * commit is written, the responses for the next gather.
 */
@ChannelHandler.Sharable
class Committer extends ChannelOutboundHandlerAdapter implements Runnable {
  private record Held(ChannelHandlerContext context, Object message, ChannelPromise promise) {}

  private final MVStore store;
  private final BlockingQueue<Held> waiting = new LinkedBlockingQueue<>();

  Committer(MVStore store) {
    this.store = store;
    var thread = new Thread(this, "committer");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (store.isClosed()) giveUp("it is closed");
    else if (store.hasUnsavedChanges()) waiting.add(new Held(context, message, promise));
    else context.write(message, promise);
  }

  /** The store closes itself when it cannot write, as on a full disk. The supervisor starts the server again; clients repeat their calls. */
  static void giveUp(Object reason) {
    System.err.println("The database cannot write its file: " + reason);
    Runtime.getRuntime().halt(1);
  }

  @Override
  public void run() {
    List<Held> batch = new ArrayList<>();
    while (true) {
      try {
        batch.add(waiting.take());
        waiting.drainTo(batch);
        store.commit();
        for (Held held : batch) held.context.writeAndFlush(held.message, held.promise);
      } catch (InterruptedException interrupted) {
        return;
      } catch (RuntimeException failure) {
        giveUp(failure);
      }
      batch.clear();
    }
  }
}

/**
 * Has the system write the file to the disk once a second, if it has changed. The library writes over a part of the file that is dead once it
 * is 45 seconds old, because it counts on the system to have written all that came later by then, in case the power fails. With a flush every
 * second, 5 seconds are enough, and the file stays small under load.
 */
class Flusher extends Thread {
  private static final int everyMs = 1_000;
  /** The age of dead parts after a flush that took up to `quickMs`, so that others have begun and ended meanwhile. */
  private static final int shortMs = 5_000;

  private static final int quickMs = 2_000;
  /** The age without flushes, and while one takes long. */
  private static final int longMs = 45_000;

  private final MVStore store;

  Flusher(MVStore store) {
    super("flusher");
    this.store = store;
    setDaemon(true);
  }

  @Override
  public void run() {
    long flushed = -1;
    try {
      while (!store.isClosed()) {
        Thread.sleep(everyMs);
        long version = store.getCurrentVersion();
        if (version == flushed || store.isClosed()) continue;
        store.setRetentionTime(longMs);
        long began = System.nanoTime();
        store.sync();
        if (System.nanoTime() - began < quickMs * 1_000_000L) store.setRetentionTime(shortMs);
        flushed = version;
      }
    } catch (InterruptedException interrupted) {
      return;
    } catch (RuntimeException failure) {
      if (!store.isClosed()) Committer.giveUp(failure);
    }
  }
}

/**
 * The adapter between the stores, which are written for MongoDB, and the library, which ignores indexes that are not unique and uses
 * a unique one only for queries on exactly its fields. It adds ordered indexes, and looks up documents by whatever index fits a
 * part of the query; the library then checks the whole query on the documents found.
 */
class IndexedBackend extends H2Backend {
  /** Names of the maps of indexes that a start has seen whole: the building of an index may be interrupted. */
  private static final String complete = "ordered_indexes.complete";
  /** Static, because the constructor of the library's class opens the indexes. */
  private static volatile boolean isStarting = true;

  IndexedBackend(MVStore store) {
    super(store);
  }

  /** Call it when all indexes are open. Others are built again by the next start. */
  void markComplete() {
    MVMap<String, Boolean> names = getMvStore().openMap(complete);
    for (String name : getMvStore().getMapNames()) {
      if (name.contains("._ordered_")) names.put(name, true);
    }
    isStarting = false;
  }

  @Override
  public Document handleCommand(Channel channel, String database, String command, Document query) {
    return whileKept(() -> super.handleCommand(channel, database, command, query));
  }

  @Override
  public QueryResult handleQuery(MongoQuery query) {
    return whileKept(() -> super.handleQuery(query));
  }

  /**
   * A question reads the version that was current when it began. Unless the store knows, it writes over parts of that version that are dead for
   * some seconds, and a question that takes longer fails: "Chunk not found".
   */
  private <T> T whileKept(Supplier<T> work) {
    var usage = getMvStore().registerVersionUsage();
    try {
      return work.get();
    } finally {
      getMvStore().deregisterVersionUsage(usage);
    }
  }

  @Override
  protected MongoDatabase openOrCreateDatabase(String name) {
    return new IndexedDatabase(name);
  }

  /** An inner class, because the constructor of the library's class already opens collections and indexes. */
  private class IndexedDatabase extends H2Database {
    IndexedDatabase(String name) {
      super(name, getMvStore(), getCursorRegistry());
    }

    @Override
    protected Index<Object> openOrCreateSecondaryIndex(
        String collection, String name, List<IndexKey> keys, boolean sparse) {
      String map = mapName(collection, name);
      MVMap<String, Object> entries = getMvStore().openMap(map);
      // While the server starts, an index that is not known to be whole is emptied, and so built again.
      if (isStarting && !getMvStore().openMap(complete).containsKey(map)) entries.clear();
      return new OrderedIndex(entries, name, keys);
    }

    @Override
    protected Index<Object> openOrCreateUniqueIndex(
        String collection, String name, List<IndexKey> keys, boolean sparse) {
      // The library then gets the map that is open.
      getMvStore()
          .openMap(
              getFullCollectionNamespace(collection) + "._index_" + name,
              new MVMap.Builder<Object, Object>().keyType(new KeyType()));
      return super.openOrCreateUniqueIndex(collection, name, keys, sparse);
    }

    /** The library would give all documents of the collection to the first stage. */
    @Override
    public Document handleCommand(
        Channel channel, String command, Document query, DatabaseResolver resolver, Oplog oplog) {
      if (command.equalsIgnoreCase("aggregate")
          && query.get(command) instanceof String name
          && query.get("pipeline") instanceof List<?> stages
          && !stages.isEmpty()
          && stages.get(0) instanceof Document first
          && first.get("$match") instanceof Document match
          && resolveCollection(name, false) instanceof IndexedCollection collection) {
        List<Document> counted = stages.size() == 2 ? collection.countGroups(match, stages.get(1)) : null;
        if (counted != null) {
          Document cursor = new Document("id", 0L).append("ns", collection.getFullName()).append("firstBatch", counted);
          return new Document("cursor", cursor).append("ok", 1.0);
        }
        return collection.narrowed(match, () -> super.handleCommand(channel, command, query, resolver, oplog));
      }
      return super.handleCommand(channel, command, query, resolver, oplog);
    }

    @Override
    protected void dropIndex(MongoCollection<Object> collection, String name) {
      super.dropIndex(collection, name);
      getMvStore().removeMap(mapName(collection.getCollectionName(), name));
    }

    @Override
    protected MongoCollection<Object> openOrCreateCollection(String name, CollectionOptions options) {
      MVMap<Object, Document> data =
          getMvStore()
              .openMap(
                  "databases." + databaseName + "." + name,
                  new MVMap.Builder<Object, Document>().valueType(new DocumentType()));
      MVMap<String, Object> meta = getMvStore().openMap("meta." + databaseName + "." + name);
      return new IndexedCollection(this, name, options, data, meta, cursorRegistry);
    }

    private String mapName(String collection, String index) {
      return databaseName + "." + collection + "._ordered_" + index;
    }
  }
}

/**
 * Documents as BSON. The library stores them as serialized Java objects, which take three times the space and many times the time. Those
 * of an earlier version are still read.
 */
class DocumentType extends BasicDataType<Document> {
  /** Tags that ObjectDataType has no use for. */
  static final byte bsonTag = 120;

  static final byte keyTag = 121;
  private final ObjectDataType other = new ObjectDataType();

  @Override
  public int getMemory(Document document) {
    return sizeOf(document);
  }

  /** About the bytes that a value takes in memory. */
  private static int sizeOf(Object value) {
    if (value instanceof String text) return 48 + text.length();
    if (value instanceof byte[] bytes) return 16 + bytes.length;
    int size = 24;
    if (value instanceof Document document) {
      for (var entry : document.entrySet()) size += 64 + entry.getKey().length() + sizeOf(entry.getValue());
    } else if (value instanceof Collection<?> many) {
      for (Object one : many) size += 8 + sizeOf(one);
    }
    return size;
  }

  @Override
  public void write(WriteBuffer target, Document document) {
    ByteBuf bson = Unpooled.buffer(1024);
    try {
      BsonEncoder.encodeDocument(document, bson);
    } catch (RuntimeException unknownType) {
      other.write(target, document);
      return;
    }
    target.put(bsonTag).put(bson.nioBuffer());
  }

  @Override
  public Document read(ByteBuffer source) {
    int start = source.position();
    if (source.get(start) != bsonTag) return (Document) other.read(source);
    // BSON begins with its length, the lowest byte first.
    int length = Integer.reverseBytes(source.getInt(start + 1));
    byte[] bytes = new byte[length];
    source.position(start + 1);
    source.get(bytes);
    return BsonDecoder.decodeBson(Unpooled.wrappedBuffer(bytes));
  }

  @Override
  public Document[] createStorage(int size) {
    return new Document[size];
  }
}

/**
 * Keys of unique indexes, in the order of the library's: that of their bytes as serialized Java objects. To compare two of them, it
 * serializes both. Nearly all are one text, of which these bytes begin with the length.
 */
class KeyType extends BasicDataType<Object> {
  private final ObjectDataType other = new ObjectDataType();

  /** Null unless the key is one short text of ASCII characters. */
  private static String plain(Object key) {
    if (!(key instanceof KeyValue value) || value.size() != 1 || !(value.get(0) instanceof String text)) return null;
    if (text.length() > 1_000) return null;
    for (int at = 0; at < text.length(); at++) {
      char sign = text.charAt(at);
      if (sign == 0 || sign > 127) return null;
    }
    return text;
  }

  @Override
  public int compare(Object one, Object two) {
    String first = plain(one);
    String second = first == null ? null : plain(two);
    if (second == null) return other.compare(one, two);
    return first.length() == second.length() ? first.compareTo(second) : first.length() - second.length();
  }

  @Override
  public int getMemory(Object key) {
    String text = plain(key);
    return text == null ? other.getMemory(key) : 120 + text.length();
  }

  @Override
  public void write(WriteBuffer target, Object key) {
    String text = plain(key);
    if (text == null) other.write(target, key);
    else target.put(DocumentType.keyTag).putShort((short) text.length()).put(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public Object read(ByteBuffer source) {
    int start = source.position();
    if (source.get(start) != DocumentType.keyTag) return other.read(source);
    byte[] bytes = new byte[source.getShort(start + 1)];
    source.position(start + 3);
    source.get(bytes);
    return new KeyValue(new String(bytes, StandardCharsets.US_ASCII));
  }

  @Override
  public Object[] createStorage(int size) {
    return new Object[size];
  }
}

class IndexedCollection extends H2Collection {
  /** The first condition of the pipeline that this thread runs. */
  private final ThreadLocal<Document> firstMatch = new ThreadLocal<>();

  IndexedCollection(
      MongoDatabase database,
      String name,
      CollectionOptions options,
      MVMap<Object, Document> data,
      MVMap<String, Object> meta,
      CursorRegistry cursors) {
    super(database, name, options, data, meta, cursors);
  }

  @Override
  protected QueryResult matchDocuments(
      Document query, Document orderBy, int skip, int limit, int batchSize, Document projection) {
    Set<Object> found = find(query);
    if (found == null || isNaturalDescending(orderBy)) {
      return super.matchDocuments(query, orderBy, skip, limit, batchSize, projection);
    }
    // An entry may be left of a document that is gone.
    Stream<Document> documents = found.stream().map(this::getDocument).filter(Objects::nonNull);
    return matchDocumentsFromStream(documents, query, orderBy, skip, limit, batchSize, projection);
  }

  /** Runs a pipeline that begins with this condition; reads only documents that may meet it. */
  <T> T narrowed(Document match, Supplier<T> pipeline) {
    firstMatch.set(match);
    try {
      return pipeline.get();
    } finally {
      firstMatch.remove();
    }
  }

  @Override
  public Iterable<Document> queryAll() {
    Document match = firstMatch.get();
    // A later stage may read the same collection.
    firstMatch.remove();
    return handleQuery(match == null ? new Document() : match);
  }

  /** The result of a stage that only counts documents by fields of one index; null when it must be computed from the documents. */
  synchronized List<Document> countGroups(Document match, Object stage) {
    GroupCount group = GroupCount.read(stage);
    if (group == null) return null;
    Set<String> fields = new LinkedHashSet<>(match.keySet());
    fields.addAll(group.fields());
    if (fields.stream().anyMatch(field -> field.indexOf('.') >= 0)) return null;
    return orderedIndexes()
        // An entry too many, or several of a document with an array, would be counted.
        .filter(index -> index.getCount() == count())
        .filter(index -> index.covers(fields))
        .max(Comparator.comparingInt(index -> index.fields(match)))
        .map(index -> index.countValues(match, fields))
        .map(
            counts -> {
              counts.keySet().removeIf(values -> !documentMatchesQuery(values, match));
              return group.add(counts);
            })
        .orElse(null);
  }

  @Override
  protected void handleUpdate(Object position, Document before, Document after) {
    super.handleUpdate(position, before, after);
    orderedIndexes().forEach(index -> index.forget(before, after));
  }

  @Override
  protected void removeDocument(Object position) {
    Document document = getDocument(position);
    super.removeDocument(position);
    orderedIndexes().forEach(index -> index.forget(document, null));
  }

  private Stream<OrderedIndex> orderedIndexes() {
    return getIndexes().stream().filter(OrderedIndex.class::isInstance).map(OrderedIndex.class::cast);
  }

  /** Positions that include all documents that match; null when no index helps. */
  private Set<Object> find(Document query) {
    for (Index<Object> index : getIndexes()) {
      Document part = new Document();
      for (IndexKey key : index.getKeys()) {
        if (query.containsKey(key.getKey())) part.put(key.getKey(), query.get(key.getKey()));
      }
      if (part.size() == index.getKeys().size() && index.canHandle(part)) {
        Set<Object> found = new LinkedHashSet<>();
        index.getPositions(part).forEach(found::add);
        return found;
      }
    }
    // Reading more than half of the documents one by one takes longer than reading all of them in order.
    int most = Math.max(1_000, count() / 2);
    List<OrderedIndex> useful = orderedIndexes().filter(index -> index.fields(query) > 0).toList();
    Optional<OrderedIndex> best =
        useful.size() < 2
            ? useful.stream().findFirst()
            : useful.stream().min(Comparator.comparingLong(index -> index.estimate(query, most)));
    Set<Object> found = best.map(index -> index.find(query, most)).orElse(null);
    if (found == null) found = findEither(query, most);
    return found;
  }

  /** The union over the branches of `$or`. */
  private Set<Object> findEither(Document query, int most) {
    if (!(query.get("$or") instanceof Collection<?> branches)) return null;
    Set<Object> found = new LinkedHashSet<>();
    for (Object branch : branches) {
      Set<Object> part = branch instanceof Document document ? find(document) : null;
      if (part == null || found.size() + part.size() > most) return null;
      found.addAll(part);
    }
    return found;
  }
}

/** A stage `$group` that only counts. `id` is null or a constant, `$field`, or a document of such fields. */
record GroupCount(Object id, String name) {
  /** Null for a stage that does something else. */
  static GroupCount read(Object stage) {
    if (!(stage instanceof Document one) || one.size() != 1 || !(one.get("$group") instanceof Document group)) return null;
    List<String> names = group.keySet().stream().filter(name -> !name.equals("_id")).toList();
    if (names.size() != 1 || group.size() != 2) return null;
    boolean isCount =
        group.get(names.get(0)) instanceof Document sum && sum.size() == 1 && Integer.valueOf(1).equals(sum.get("$sum"));
    Object id = group.get("_id");
    boolean isSimple =
        id == null
            || id instanceof Integer
            || isField(id)
            || (id instanceof Document parts && !parts.isEmpty() && parts.values().stream().allMatch(GroupCount::isField));
    return isCount && isSimple ? new GroupCount(id, names.get(0)) : null;
  }

  private static boolean isField(Object value) {
    return value instanceof String text && text.startsWith("$") && !text.startsWith("$$") && text.indexOf('.') < 0;
  }

  Set<String> fields() {
    Stream<?> paths =
        id instanceof Document parts ? parts.values().stream() : isField(id) ? Stream.of(id) : Stream.empty();
    return paths.map(path -> path.toString().substring(1)).collect(Collectors.toSet());
  }

  /** Adds the counts of the combinations of values that belong to the same group. */
  List<Document> add(Map<Document, Long> counts) {
    Map<Object, Long> sums = new LinkedHashMap<>();
    counts.forEach((values, count) -> sums.merge(Optional.ofNullable(idOf(values)), count, Long::sum));
    return sums.entrySet().stream()
        .map(
            sum ->
                new Document("_id", ((Optional<?>) sum.getKey()).orElse(null))
                    .append(name, Math.toIntExact(sum.getValue())))
        .toList();
  }

  private Object idOf(Document values) {
    if (isField(id)) return values.get(id.toString().substring(1));
    if (!(id instanceof Document parts)) return id;
    Document own = new Document();
    parts.forEach((part, path) -> own.put(part, values.get(path.toString().substring(1))));
    return own;
  }
}

/**
 * An index in the order of its fields: a map from the text of the values and the id to the id. An entry is written before the
 * document and removed after it, so that a process killed in between leaves at most an entry too many.
 */
class OrderedIndex extends Index<Object> {
  private static final int longestText = 256;
  private static final String end = "\uffff";
  private static final String[] everything = {"", end};
  private final MVMap<String, Object> entries;

  OrderedIndex(MVMap<String, Object> entries, String name, List<IndexKey> keys) {
    super(name, keys, true);
    this.entries = entries;
  }

  /** How many fields of the query, from the first of the index on, narrow the search. */
  int fields(Document query) {
    int count = 0;
    for (String field : keys()) {
      if (pointsOf(query, field) != null) count += 1;
      else return rangeOf(query, field) == null ? count : count + 1;
    }
    return count;
  }

  boolean covers(Set<String> fields) {
    return keys().containsAll(fields);
  }

  /** The ranges of entries, each with its first and last text; null when there would be more than `most`. */
  private List<String[]> rangesOf(Document query, int most) {
    List<String> prefixes = List.of("");
    for (String field : keys()) {
      List<String> points = pointsOf(query, field);
      if (points == null) {
        String[] range = rangeOf(query, field) == null ? everything : rangeOf(query, field);
        return prefixes.stream().map(prefix -> new String[] {prefix + range[0], prefix + range[1]}).toList();
      }
      prefixes = prefixes.stream().flatMap(prefix -> points.stream().map(point -> prefix + point + "\0")).toList();
      if (prefixes.size() > most) return null;
    }
    return prefixes.stream().map(prefix -> new String[] {prefix, prefix + end}).toList();
  }

  /** Null when there would be more than `most`. */
  Set<Object> find(Document query, int most) {
    List<String[]> ranges = rangesOf(query, most);
    if (ranges == null) return null;
    Set<Object> found = new LinkedHashSet<>();
    for (String[] range : ranges) {
      var cursor = entries.cursor(range[0], range[1], false);
      while (cursor.hasNext()) {
        cursor.next();
        found.add(cursor.getValue());
        if (found.size() > most) return null;
      }
    }
    return found;
  }

  /** About the number of documents that `find` would return, without reading them. */
  long estimate(Document query, int most) {
    List<String[]> ranges = rangesOf(query, most);
    if (ranges == null) return Long.MAX_VALUE;
    return ranges.stream().mapToLong(range -> rank(range[1]) - rank(range[0])).sum();
  }

  /** The number of entries before this text. */
  private long rank(String text) {
    long place = entries.getKeyIndex(text);
    return place < 0 ? -place - 1 : place;
  }

  /**
   * The number of documents for each combination of values that these fields have, among documents that may match. Takes a few steps
   * for each combination, however many documents have it. Null when an entry does not tell a value exactly.
   */
  Map<Document, Long> countValues(Document query, Set<String> fields) {
    List<String[]> ranges = rangesOf(query, 1_000);
    if (ranges == null) return null;
    int depth = fields.stream().mapToInt(keys()::indexOf).max().orElse(-1) + 1;
    Map<Document, Long> counts = new HashMap<>();
    for (String[] range : ranges) {
      String entry = entries.ceilingKey(range[0]);
      while (entry != null && entry.compareTo(range[1]) <= 0) {
        String prefix = prefixOf(entry, depth);
        String last = prefix + end;
        Document values = valuesOf(prefix, depth);
        if (values == null) return null;
        counts.merge(values, rank(last) - rank(prefix), Long::sum);
        entry = entries.ceilingKey(last);
      }
    }
    return counts;
  }

  /** The part of an entry that holds its first `depth` values. */
  private static String prefixOf(String entry, int depth) {
    int at = 0;
    for (int field = 0; field < depth; field++) at = entry.indexOf('\0', at) + 1;
    return entry.substring(0, at);
  }

  private Document valuesOf(String prefix, int depth) {
    Document values = new Document();
    String[] texts = prefix.split("\0");
    for (int field = 0; field < depth; field++) {
      String text = texts[field];
      // Text that was cut or changed, and values of other types, cannot be told from their entries.
      boolean isExact = text.startsWith("\3") && text.length() <= longestText && text.indexOf('\1') < 0;
      if (!isExact) return null;
      values.put(keys().get(field), text.substring(1));
    }
    return values;
  }

  /** The texts of the values that the query asks for in this field; null unless it names values. */
  private static List<String> pointsOf(Document query, String field) {
    if (!query.containsKey(field)) return null;
    Object value = query.get(field);
    if (value instanceof Document condition) {
      if (condition.get("$in") instanceof Collection<?> values && values.stream().allMatch(OrderedIndex::isPlain)) {
        return values.stream().map(OrderedIndex::textOf).distinct().toList();
      }
      if (!condition.containsKey("$eq")) return null;
      value = condition.get("$eq");
    }
    return isPlain(value) ? List.of(textOf(value)) : null;
  }

  /** The least and greatest text that the query asks for in this field; null unless it has such a bound. */
  private static String[] rangeOf(Document query, String field) {
    if (!(query.get(field) instanceof Document condition)) return null;
    Object least = condition.getOrDefault("$gte", condition.get("$gt"));
    Object greatest = condition.getOrDefault("$lte", condition.get("$lt"));
    Object either = least == null ? greatest : least;
    if (either == null || !isPlain(either) || (greatest != null && !isPlain(greatest))) return null;
    // Values of other types are not compared.
    String type = textOf(either).substring(0, 1);
    return new String[] {least == null ? type : textOf(least), (greatest == null ? type : textOf(greatest)) + end};
  }

  private static boolean isPlain(Object value) {
    return value == null
        || value instanceof String
        || value instanceof Boolean
        || value instanceof Instant
        || value instanceof Number;
  }

  /** A text that sorts like the value. Different values may have the same text, because the query is checked again. */
  private static String textOf(Object value) {
    if (value == null || value instanceof Missing) return "\1";
    if (value instanceof Number number) {
      long bits = Double.doubleToLongBits(number.doubleValue() + 0.0);
      return "\2" + sortable(bits < 0 ? ~bits ^ Long.MIN_VALUE : bits);
    }
    if (value instanceof String text) {
      return "\3" + text.substring(0, Math.min(longestText, text.length())).replace('\0', '\1');
    }
    if (value instanceof Boolean bool) return bool ? "\5" : "\4";
    if (value instanceof Instant instant) return "\6" + sortable(instant.toEpochMilli());
    return "\7";
  }

  private static String sortable(long signed) {
    return HexFormat.of().toHexDigits(signed ^ Long.MIN_VALUE);
  }

  /** One entry for each element of an array. */
  private Set<String> entriesOf(Document document) {
    Set<String> texts = Set.of("");
    for (String field : keys()) {
      Object value = Utils.getSubdocumentValueCollectionAware(document, field);
      Set<String> points =
          value instanceof Collection<?> many && !many.isEmpty()
              ? many.stream().map(OrderedIndex::textOf).collect(Collectors.toSet())
              : Set.of(textOf(value instanceof Collection ? null : value));
      texts =
          texts.stream()
              .flatMap(text -> points.stream().map(point -> text + point + "\0"))
              .collect(Collectors.toSet());
    }
    Object id = document.get("_id");
    return texts.stream().map(text -> text + id).collect(Collectors.toSet());
  }

  private void keep(Document document) {
    Object id = document.get("_id");
    // Putting an entry that is there would write its page once more.
    if (id != null) entriesOf(document).forEach(entry -> entries.putIfAbsent(entry, id));
  }

  /** Removes the entries that only `before` has. */
  void forget(Document before, Document after) {
    Set<String> kept = after == null ? Set.of() : entriesOf(after);
    entriesOf(before).stream().filter(entry -> !kept.contains(entry)).forEach(entries::remove);
  }

  @Override
  public void checkAdd(Document document, MongoCollection<Object> collection) {
    keep(document);
  }

  @Override
  public void updateInPlace(Document before, Document after, Object position, MongoCollection<Object> collection) {
    keep(after);
  }

  @Override
  public Object getPosition(Document document) {
    return document.get("_id");
  }

  @Override
  public Object remove(Document document) {
    return document.get("_id");
  }

  @Override
  public void add(Document document, Object position, MongoCollection<Object> collection) {}

  @Override
  public void checkUpdate(Document before, Document after, MongoCollection<Object> collection) {}

  /** The collection asks for parts of queries with `find`. */
  @Override
  public boolean canHandle(Document query) {
    return false;
  }

  @Override
  public Iterable<Object> getPositions(Document query) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long getCount() {
    return entries.sizeAsLong();
  }

  @Override
  public long getDataSize() {
    return 0;
  }

  @Override
  public void drop() {
    entries.clear();
  }
}
