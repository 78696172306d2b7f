import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedAddRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedCompareRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedDeleteRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedExtendedRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyDNRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSASLBindRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchEntry;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindResult;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import java.net.InetAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves an LDIF file from memory: base DN, port, LDIF file, bind DN; the password of the bind DN is in DIRECTORY_PASSWORD, which
 * other users of the machine do not see. The tool of the library listens on all addresses, shows passwords and lets everybody write.
 */
public class LdapServer {
  public static void main(String[] args) throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig(args[0]);
    config.setListenerConfigs(InMemoryListenerConfig.createLDAPConfig("ldap", InetAddress.getByName("127.0.0.1"), Integer.parseInt(args[1]), null));
    config.addAdditionalBindCredentials(args[3], System.getenv("DIRECTORY_PASSWORD"));
    config.setSchema(null);
    config.addInMemoryOperationInterceptor(new AccessRules(new DN(args[3])));
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.importFromLDIF(true, args[2]);
    server.startListening();
    Thread.currentThread().join();
  }

  /** Everybody may search, nobody sees or compares passwords, and the administrator alone may write. */
  private static final class AccessRules extends InMemoryOperationInterceptor {
    private final DN administrator;
    private final Set<Long> administering = ConcurrentHashMap.newKeySet();

    AccessRules(DN administrator) {
      this.administrator = administrator;
    }

    @Override
    public void processSimpleBindRequest(InMemoryInterceptedSimpleBindRequest bind) {
      administering.remove(bind.getConnectionID());
    }

    @Override
    public void processSimpleBindResult(InMemoryInterceptedSimpleBindResult bind) {
      boolean isGood = bind.getResult().getResultCode() == ResultCode.SUCCESS;
      if (isGood && isAdministrator(bind.getRequest().getBindDN())) administering.add(bind.getConnectionID());
    }

    private boolean isAdministrator(String name) {
      try {
        return administrator.equals(new DN(name));
      } catch (LDAPException malformed) {
        return false;
      }
    }

    @Override
    public void processSASLBindRequest(InMemoryInterceptedSASLBindRequest bind) throws LDAPException {
      throw new LDAPException(ResultCode.AUTH_METHOD_NOT_SUPPORTED, "This directory takes simple binds only.");
    }

    @Override
    public void processAddRequest(InMemoryInterceptedAddRequest request) throws LDAPException {
      requireAdministrator(request.getConnectionID());
    }

    @Override
    public void processCompareRequest(InMemoryInterceptedCompareRequest request) throws LDAPException {
      requireAdministrator(request.getConnectionID());
    }

    @Override
    public void processDeleteRequest(InMemoryInterceptedDeleteRequest request) throws LDAPException {
      requireAdministrator(request.getConnectionID());
    }

    @Override
    public void processExtendedRequest(InMemoryInterceptedExtendedRequest request) throws LDAPException {
      requireAdministrator(request.getConnectionID());
    }

    @Override
    public void processModifyRequest(InMemoryInterceptedModifyRequest request) throws LDAPException {
      requireAdministrator(request.getConnectionID());
    }

    @Override
    public void processModifyDNRequest(InMemoryInterceptedModifyDNRequest request) throws LDAPException {
      requireAdministrator(request.getConnectionID());
    }

    private void requireAdministrator(long connection) throws LDAPException {
      if (!administering.contains(connection)) throw refusal("Only the administrator of this directory may do this.");
    }

    /** Filters, orders and assertions over passwords would tell them letter by letter. */
    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest search) throws LDAPException {
      for (Control control : search.getRequest().getControlList())
        if (!control.getOID().equals(SimplePagedResultsControl.PAGED_RESULTS_OID)) throw refusal("Controls other than paging are not offered.");
      if (asksPasswords(search.getRequest().getFilter())) throw refusal("Nobody may search for passwords.");
    }

    private static boolean asksPasswords(Filter filter) {
      if (filter.getNOTComponent() != null) return asksPasswords(filter.getNOTComponent());
      for (Filter part : filter.getComponents()) if (asksPasswords(part)) return true;
      boolean isGroup = filter.getFilterType() == Filter.FILTER_TYPE_AND || filter.getFilterType() == Filter.FILTER_TYPE_OR;
      // Without an attribute, a matching rule looks at all of them.
      return !isGroup && (filter.getAttributeName() == null || isPassword(filter.getAttributeName()));
    }

    @Override
    public void processSearchEntry(InMemoryInterceptedSearchEntry found) {
      Entry shown = found.getSearchEntry().duplicate();
      for (Attribute attribute : found.getSearchEntry().getAttributes())
        if (isPassword(attribute.getName())) shown.removeAttribute(attribute.getName());
      found.setSearchEntry(shown);
    }

    private static boolean isPassword(String name) {
      String base = Attribute.getBaseName(name).trim().toLowerCase();
      return base.contains("password") || base.equals("2.5.4.35");
    }

    private static LDAPException refusal(String message) {
      return new LDAPException(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, message);
    }
  }
}
