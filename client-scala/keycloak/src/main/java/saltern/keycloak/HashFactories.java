package saltern.keycloak;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.keycloak.Config;
import org.keycloak.common.Profile;
import org.keycloak.credential.CredentialProvider;
import org.keycloak.credential.hash.PasswordHashProvider;
import org.keycloak.credential.hash.PasswordHashProviderFactory;
import org.keycloak.credential.hash.Pbkdf2PasswordHashProviderFactory;
import org.keycloak.credential.hash.Pbkdf2Sha256PasswordHashProviderFactory;
import org.keycloak.credential.hash.Pbkdf2Sha512PasswordHashProviderFactory;
import org.keycloak.crypto.hash.Argon2PasswordHashProviderFactory;
import org.keycloak.models.KeycloakSession;
import org.keycloak.models.KeycloakSessionFactory;
import org.keycloak.provider.EnvironmentDependentProviderFactory;
import org.keycloak.provider.ProviderConfigProperty;

/** The factories of {@link SalternHash}: of Keycloak's own algorithms, and of sealed rows. */
public final class HashFactories {
  private HashFactories() {}

  public static final class Argon2 extends Instead {
    public Argon2() {
      super(Argon2PasswordHashProviderFactory.ID, () -> new Argon2PasswordHashProviderFactory());
    }
  }

  @SuppressWarnings("deprecation")
  public static final class Pbkdf2 extends Instead {
    public Pbkdf2() {
      super(Pbkdf2PasswordHashProviderFactory.ID, () -> new Pbkdf2PasswordHashProviderFactory());
    }
  }

  public static final class Pbkdf2Sha256 extends Instead {
    public Pbkdf2Sha256() {
      super(Pbkdf2Sha256PasswordHashProviderFactory.ID, () -> new Pbkdf2Sha256PasswordHashProviderFactory());
    }
  }

  public static final class Pbkdf2Sha512 extends Instead {
    public Pbkdf2Sha512() {
      super(Pbkdf2Sha512PasswordHashProviderFactory.ID, () -> new Pbkdf2Sha512PasswordHashProviderFactory());
    }
  }

  /** Of rows with a seal, which Keycloak cannot read. */
  public static final class Sealed implements PasswordHashProviderFactory {
    @Override
    public String getId() {
      return StoredRow.SEALED;
    }

    @Override
    public PasswordHashProvider create(KeycloakSession session) {
      return client(session).map(factory -> new SalternHash(session, factory.client(), Optional.empty())).orElse(null);
    }

    @Override
    public void init(Config.Scope options) {}

    @Override
    public void postInit(KeycloakSessionFactory sessions) {}

    @Override
    public void close() {}
  }

  /**
   * Takes over the id of one of Keycloak's own factories: Keycloak uses the factory of the highest
   * order. It does not extend that factory, because the FIPS mode has no class of Argon2.
   */
  private abstract static class Instead implements PasswordHashProviderFactory, EnvironmentDependentProviderFactory {
    private final String id;
    private final Supplier<PasswordHashProviderFactory> maker;
    private PasswordHashProviderFactory builtIn;

    Instead(String id, Supplier<PasswordHashProviderFactory> maker) {
      this.id = id;
      this.maker = maker;
    }

    /** In FIPS mode Keycloak's own providers stay in place. */
    @Override
    public boolean isSupported(Config.Scope options) {
      return !isFips();
    }

    @Override
    public String getId() {
      return id;
    }

    /** Keycloak asks for it first: of one id, it drops all factories but that of the highest order. */
    @Override
    public int order() {
      return isFips() ? Integer.MIN_VALUE : builtIn().order() + 1000;
    }

    @Override
    public void init(Config.Scope options) {
      builtIn().init(options);
    }

    @Override
    public PasswordHashProvider create(KeycloakSession session) {
      return client(session)
          .<PasswordHashProvider>map(factory -> new SalternHash(session, factory.client(), factory.keycloakVerifies() ? Optional.of(() -> builtIn.create(session)) : Optional.empty()))
          .orElseGet(() -> builtIn.create(session));
    }

    @Override
    public void postInit(KeycloakSessionFactory sessions) {
      builtIn.postInit(sessions);
    }

    @Override
    public List<ProviderConfigProperty> getConfigMetadata() {
      return builtIn().getConfigMetadata();
    }

    @Override
    public void close() {
      builtIn.close();
    }

    private static boolean isFips() {
      return Profile.isFeatureEnabled(Profile.Feature.FIPS);
    }

    private PasswordHashProviderFactory builtIn() {
      if (builtIn == null) builtIn = maker.get();
      return builtIn;
    }
  }

  /** Nothing if {@code spi-credential--saltern--enabled} is false. */
  private static Optional<SalternCredentialFactory> client(KeycloakSession session) {
    return Optional.ofNullable((SalternCredentialFactory) session.getKeycloakSessionFactory().getProviderFactory(CredentialProvider.class, SalternCredentialFactory.ID));
  }
}
