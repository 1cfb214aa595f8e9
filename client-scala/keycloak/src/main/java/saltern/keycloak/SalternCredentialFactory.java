package saltern.keycloak;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.keycloak.Config;
import org.keycloak.credential.CredentialProviderFactory;
import org.keycloak.models.KeycloakSession;
import org.keycloak.provider.ProviderConfigProperty;
import org.keycloak.provider.ProviderConfigurationBuilder;
import saltern.client.BlockingSaltern;
import saltern.client.ClientConfig;
import saltern.client.Fallback;
import saltern.client.PolicySource;
import saltern.client.RequestAuth;
import saltern.client.Saltern;
import saltern.client.TokenSupplier;

/** Holds the client of this Keycloak. Its options are {@code spi-credential--saltern--…}. */
public final class SalternCredentialFactory implements CredentialProviderFactory<SalternCredential> {
  static final String ID = "saltern";

  private Saltern saltern;
  private boolean keycloakVerifies;

  @Override
  public String getId() {
    return ID;
  }

  @Override
  public SalternCredential create(KeycloakSession session) {
    return new SalternCredential(session);
  }

  /** Whether Keycloak itself verifies the rows that Saltern refuses. */
  boolean keycloakVerifies() {
    return keycloakVerifies;
  }

  /** The client of the server that this session belongs to. */
  BlockingSaltern client() {
    return saltern.blocking();
  }

  @Override
  public void init(Config.Scope options) {
    String url = options.get("url");
    if (url == null) throw new IllegalArgumentException("set spi-credential--saltern--url to the address of Saltern, such as http://127.0.0.1:9000");
    ClientConfig config =
        ClientConfig.apply(url)
            .withDeadline(Duration.ofMillis(options.getInt("deadline-ms", 10_000)))
            // Keycloak's threads wait for the answer, and a floor would hold them longer.
            .withLoginFloor(Duration.ZERO)
            .withFallback(fallback(options.get("fallback", Fallback.unreachableOrOverloaded().name())));
    String token = options.get("token-file");
    if (token != null) config = config.withAuth(RequestAuth.bearer(TokenSupplier.file(Path.of(token))));
    String policies = options.get("policies");
    if (policies != null) config = config.withPolicies(new PolicySource.File(Path.of(policies)));
    Boolean unsealed = options.getBoolean("hash-unsealed");
    if (unsealed != null) config = config.withHashesUnsealed(unsealed);
    keycloakVerifies = options.getBoolean("keycloak-verifies", true);
    saltern = Saltern.apply(config);
  }

  @Override
  public void close() {
    if (saltern != null) saltern.close();
  }

  @Override
  public List<ProviderConfigProperty> getConfigMetadata() {
    return ProviderConfigurationBuilder.create()
        .property().name("url").type("string").helpText("The address of Saltern.").add()
        .property().name("token-file").type("string").helpText("The file of the bearer token.").add()
        .property().name("deadline-ms").type("int").defaultValue(10_000).helpText("The time for one answer.").add()
        .property().name("fallback").type("string").defaultValue("unreachable-or-overloaded")
        .options("never", "unreachable", "unreachable-or-overloaded").helpText("When Keycloak hashes itself, on a bounded pool.").add()
        .property().name("hash-unsealed").type("boolean").helpText("Whether an outage may store rows without a seal.").add()
        .property().name("keycloak-verifies").type("boolean").defaultValue(true).helpText("Whether Keycloak itself verifies the rows that Saltern refuses.").add()
        .property().name("policies").type("string").helpText("Saltern's policy document, if it is not the shipped one.").add()
        .build();
  }

  private static Fallback fallback(String name) {
    for (Fallback one : new Fallback[] {Fallback.never(), Fallback.unreachable(), Fallback.unreachableOrOverloaded()}) {
      if (one.name().equals(name)) return one;
    }
    throw new IllegalArgumentException("spi-credential--saltern--fallback: give never, unreachable or unreachable-or-overloaded");
  }
}
