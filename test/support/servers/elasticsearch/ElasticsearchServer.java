import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/** Starts a node of Elasticsearch for tests. Arguments: home folder, folder of the plugin, port. */
public final class ElasticsearchServer {
  public static void main(String[] arguments) throws Exception {
    Path home = Path.of(arguments[0]);
    Settings settings =
        Settings.builder()
            .put("path.home", home)
            .put("discovery.type", "single-node")
            .put("transport.type", "alone")
            .put("http.type", "plain")
            .put("http.port", arguments[2])
            .put("node.name", "test")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
    LogConfigurator.configureWithoutConfig(settings);
    Path plugin = home.resolve("plugins").resolve("transports");
    Files.createDirectories(plugin);
    Files.createDirectories(home.resolve("config"));
    try (Stream<Path> files = Files.list(Path.of(arguments[1]))) {
      for (Path file : files.toList()) Files.copy(file, plugin.resolve(file.getFileName()));
    }
    Environment environment = InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home.resolve("config"), () -> "test");
    PluginsLoader plugins =
        PluginsLoader.createPluginsLoader(
            Set.of(), PluginsLoader.loadPluginsBundles(environment.pluginsDir()), Map.of(), false);
    Node node = new Node(environment, plugins);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        node.close();
      } catch (Exception error) {
        error.printStackTrace();
      }
    }));
    node.start();
    Thread.currentThread().join();
  }
}
