package saltern.keycloak;

import java.util.Optional;
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

/** Take over the ids of Keycloak's own algorithms: Keycloak uses the factory of the highest order. */
public final class HashFactories {
  private HashFactories() {}

  public static final class Argon2 extends Argon2PasswordHashProviderFactory {
    @Override
    public PasswordHashProvider create(KeycloakSession session) {
      return with(session, super.create(session));
    }

    @Override
    public int order() {
      return above(super.order());
    }
  }

  @SuppressWarnings("deprecation")
  public static final class Pbkdf2 extends Pbkdf2PasswordHashProviderFactory {
    @Override
    public PasswordHashProvider create(KeycloakSession session) {
      return with(session, super.create(session));
    }

    @Override
    public int order() {
      return above(super.order());
    }
  }

  public static final class Pbkdf2Sha256 extends Pbkdf2Sha256PasswordHashProviderFactory {
    @Override
    public PasswordHashProvider create(KeycloakSession session) {
      return with(session, super.create(session));
    }

    @Override
    public int order() {
      return above(super.order());
    }
  }

  public static final class Pbkdf2Sha512 extends Pbkdf2Sha512PasswordHashProviderFactory {
    @Override
    public PasswordHashProvider create(KeycloakSession session) {
      return with(session, super.create(session));
    }

    @Override
    public int order() {
      return above(super.order());
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

  private static PasswordHashProvider with(KeycloakSession session, PasswordHashProvider builtIn) {
    return client(session)
        .<PasswordHashProvider>map(factory -> new SalternHash(session, factory.client(), Optional.of(builtIn)))
        .orElse(builtIn);
  }

  /** Nothing if {@code spi-credential--saltern--enabled} is false. */
  private static Optional<SalternCredentialFactory> client(KeycloakSession session) {
    return Optional.ofNullable((SalternCredentialFactory) session.getKeycloakSessionFactory().getProviderFactory(CredentialProvider.class, SalternCredentialFactory.ID));
  }

  /** In FIPS mode Keycloak's own providers stay in place. */
  private static int above(int order) {
    return Profile.isFeatureEnabled(Profile.Feature.FIPS) ? order - 1 : order + 1000;
  }
}
