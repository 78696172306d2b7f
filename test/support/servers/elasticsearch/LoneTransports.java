import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.cluster.node.DiscoveryNode;
import org.elasticsearch.common.bytes.BytesArray;
import org.elasticsearch.common.bytes.BytesReference;
import org.elasticsearch.common.bytes.ReleasableBytesReference;
import org.elasticsearch.common.component.AbstractLifecycleComponent;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.network.NetworkService;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.transport.BoundTransportAddress;
import org.elasticsearch.common.transport.TransportAddress;
import org.elasticsearch.common.util.BigArrays;
import org.elasticsearch.common.util.PageCacheRecycler;
import org.elasticsearch.common.util.concurrent.ThreadContext;
import org.elasticsearch.http.HttpBody;
import org.elasticsearch.http.HttpChannel;
import org.elasticsearch.http.HttpInfo;
import org.elasticsearch.http.HttpPreRequest;
import org.elasticsearch.http.HttpRequest;
import org.elasticsearch.http.HttpResponse;
import org.elasticsearch.http.HttpServerTransport;
import org.elasticsearch.http.HttpStats;
import org.elasticsearch.indices.breaker.CircuitBreakerService;
import org.elasticsearch.plugins.NetworkPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.AbstractRestChannel;
import org.elasticsearch.rest.ChunkedRestResponseBodyPart;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.telemetry.tracing.Tracer;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.BytesRefRecycler;
import org.elasticsearch.transport.ConnectTransportException;
import org.elasticsearch.transport.ConnectionProfile;
import org.elasticsearch.transport.Transport;
import org.elasticsearch.transport.TransportMessageListener;
import org.elasticsearch.transport.TransportStats;
import org.elasticsearch.xcontent.NamedXContentRegistry;
import org.elasticsearch.xcontent.XContentParserConfiguration;

/**
 * The two transports that the published libraries of Elasticsearch lack: HTTP, on the server of the JDK, and one between nodes, which a
 * single node never uses.
 */
public final class LoneTransports extends Plugin implements NetworkPlugin {
  @Override
  public Map<String, Supplier<Transport>> getTransports(
      Settings settings, ThreadPool threads, PageCacheRecycler recycler, CircuitBreakerService breakers,
      NamedWriteableRegistry registry, NetworkService network) {
    return Map.of("alone", Alone::new);
  }

  @Override
  public Map<String, Supplier<HttpServerTransport>> getHttpTransports(
      Settings settings, ThreadPool threads, BigArrays arrays, PageCacheRecycler recycler, CircuitBreakerService breakers,
      NamedXContentRegistry registry, NetworkService network, HttpServerTransport.Dispatcher dispatcher,
      BiConsumer<HttpPreRequest, ThreadContext> context, ClusterSettings clusterSettings, Tracer tracer) {
    int port = Integer.parseInt(settings.get("http.port"));
    XContentParserConfiguration parsers = XContentParserConfiguration.EMPTY.withRegistry(registry);
    return Map.of("plain", () -> new Http(port, threads, recycler, parsers, dispatcher, context));
  }

  private static BoundTransportAddress bind(int port) {
    TransportAddress address = new TransportAddress(InetAddress.getLoopbackAddress(), port);
    return new BoundTransportAddress(new TransportAddress[] {address}, address);
  }

  /** The transport between nodes of a node without others. */
  private static final class Alone extends AbstractLifecycleComponent implements Transport {
    private final ResponseHandlers responses = new ResponseHandlers();
    private final RequestHandlers requests = new RequestHandlers();

    @Override public void setMessageListener(TransportMessageListener listener) {}
    @Override public BoundTransportAddress boundAddress() { return bind(9300); }
    @Override public BoundTransportAddress boundRemoteIngressAddress() { return null; }
    @Override public Map<String, BoundTransportAddress> profileBoundAddresses() { return Map.of(); }
    @Override public TransportAddress[] addressesFromString(String address) { return new TransportAddress[0]; }
    @Override public List<String> getDefaultSeedAddresses() { return List.of(); }
    @Override public TransportStats getStats() {
      return new TransportStats(0, 0, 0, 0, 0, 0, new long[0], new long[0], Map.of());
    }
    @Override public ResponseHandlers getResponseHandlers() { return responses; }
    @Override public RequestHandlers getRequestHandlers() { return requests; }
    @Override public void openConnection(DiscoveryNode node, ConnectionProfile profile, ActionListener<Connection> listener) {
      listener.onFailure(new ConnectTransportException(node, "there is one node"));
    }
    @Override protected void doStart() {}
    @Override protected void doStop() {}
    @Override protected void doClose() {}
  }

  private static final class Http extends AbstractLifecycleComponent implements HttpServerTransport {
    private final int port;
    private final ThreadPool threads;
    private final BytesRefRecycler recycler;
    private final XContentParserConfiguration parsers;
    private final Dispatcher dispatcher;
    private final BiConsumer<HttpPreRequest, ThreadContext> context;
    private HttpServer server;

    Http(int port, ThreadPool threads, PageCacheRecycler recycler, XContentParserConfiguration parsers, Dispatcher dispatcher,
        BiConsumer<HttpPreRequest, ThreadContext> context) {
      this.port = port;
      this.threads = threads;
      this.recycler = new BytesRefRecycler(recycler);
      this.parsers = parsers;
      this.dispatcher = dispatcher;
      this.context = context;
    }

    @Override public BoundTransportAddress boundAddress() { return bind(port); }
    @Override public HttpInfo info() { return new HttpInfo(boundAddress(), 100_000_000); }
    @Override public HttpStats stats() { return new HttpStats(0, 0); }

    @Override protected void doStart() {
      try {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
      } catch (IOException error) {
        throw new IllegalStateException(error);
      }
      server.setExecutor(Executors.newCachedThreadPool());
      server.createContext("/", exchange -> {
        try (exchange) {
          answer(exchange);
        } catch (Exception error) {
          error.printStackTrace();
          throw new IOException(error);
        }
      });
      server.start();
    }

    private void answer(HttpExchange exchange) throws Exception {
      Incoming incoming = new Incoming(exchange);
      Outgoing channel = new Outgoing(exchange);
      ThreadContext own = threads.getThreadContext();
      CompletableFuture<RestResponse> answered = new CompletableFuture<>();
      try (ThreadContext.StoredContext ignored = own.stashContext()) {
        context.accept(incoming, own);
        RestRequest request = RestRequest.request(parsers, incoming, channel);
        dispatcher.dispatchRequest(request, new AbstractRestChannel(request, true) {
          @Override public void sendResponse(RestResponse response) { answered.complete(response); }
        }, own);
      }
      RestResponse response = answered.get();
      byte[] bytes = response.isChunked() ? collect(response.chunkedContent()) : BytesReference.toBytes(response.content());
      if (response.contentType() != null) exchange.getResponseHeaders().set("content-type", response.contentType());
      exchange.getResponseHeaders().set("x-elastic-product", "Elasticsearch");
      boolean isEmpty = exchange.getRequestMethod().equals("HEAD") || bytes.length == 0;
      exchange.sendResponseHeaders(response.status().getStatus(), isEmpty ? -1 : bytes.length);
      if (!isEmpty) exchange.getResponseBody().write(bytes);
    }

    private byte[] collect(ChunkedRestResponseBodyPart first) throws Exception {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (ChunkedRestResponseBodyPart part = first; ; ) {
        while (!part.isPartComplete())
          try (ReleasableBytesReference chunk = part.encodeChunk(16_384, recycler)) {
            chunk.writeTo(all);
          }
        if (part.isLastPart()) return all.toByteArray();
        CompletableFuture<ChunkedRestResponseBodyPart> next = new CompletableFuture<>();
        part.getNextPart(ActionListener.wrap(next::complete, next::completeExceptionally));
        part = next.get();
      }
    }

    @Override protected void doStop() { server.stop(0); }
    @Override protected void doClose() {}
  }

  private static final class Incoming implements HttpRequest {
    private final HttpExchange exchange;
    private final HttpBody body;
    private final Map<String, List<String>> headers;

    Incoming(HttpExchange exchange) throws IOException {
      this.exchange = exchange;
      this.headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      this.headers.putAll(exchange.getRequestHeaders());
      this.body = HttpBody.fromBytesReference(new BytesArray(exchange.getRequestBody().readAllBytes()));
    }

    @Override public RestRequest.Method method() { return RestRequest.Method.valueOf(exchange.getRequestMethod()); }
    @Override public String uri() { return exchange.getRequestURI().toString(); }
    @Override public Map<String, List<String>> getHeaders() { return headers; }
    @Override public HttpBody body() { return body; }
    @Override public List<String> strictCookies() { return List.of(); }
    @Override public HttpVersion protocolVersion() { return HttpVersion.HTTP_1_1; }
    @Override public HttpRequest removeHeader(String header) { return this; }
    @Override public HttpResponse createResponse(RestStatus status, BytesReference content) { throw new UnsupportedOperationException(); }
    @Override public HttpResponse createResponse(RestStatus status, ChunkedRestResponseBodyPart first) { throw new UnsupportedOperationException(); }
    @Override public Exception getInboundException() { return null; }
    @Override public void release() {}
  }

  private static final class Outgoing implements HttpChannel {
    private final HttpExchange exchange;

    Outgoing(HttpExchange exchange) { this.exchange = exchange; }

    @Override public void sendResponse(HttpResponse response, ActionListener<Void> listener) { throw new UnsupportedOperationException(); }
    @Override public InetSocketAddress getLocalAddress() { return exchange.getLocalAddress(); }
    @Override public InetSocketAddress getRemoteAddress() { return exchange.getRemoteAddress(); }
    @Override public void close() {}
    @Override public void addCloseListener(ActionListener<Void> listener) {}
    @Override public boolean isOpen() { return true; }
  }
}
