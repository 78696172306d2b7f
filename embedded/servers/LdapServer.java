import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import java.net.InetAddress;

/** Serves an LDIF file from memory: base DN, port, LDIF file, bind DN, bind password. The tool of the library listens on all addresses. */
public class LdapServer {
  public static void main(String[] args) throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig(args[0]);
    config.setListenerConfigs(InMemoryListenerConfig.createLDAPConfig("ldap", InetAddress.getByName("127.0.0.1"), Integer.parseInt(args[1]), null));
    config.addAdditionalBindCredentials(args[3], args[4]);
    config.setSchema(null);
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.importFromLDIF(true, args[2]);
    server.startListening();
    Thread.currentThread().join();
  }
}
