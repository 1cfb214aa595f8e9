package saltern.keycloak;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import org.jboss.logging.Logger;
import org.keycloak.connections.jpa.JpaConnectionProvider;
import org.keycloak.models.AbstractKeycloakTransaction;
import org.keycloak.models.KeycloakSession;
import org.keycloak.models.KeycloakSessionFactory;
import org.keycloak.models.RealmModel;
import org.keycloak.models.UserModel;
import org.keycloak.models.cache.UserCache;
import org.keycloak.models.credential.PasswordCredentialModel;
import org.keycloak.models.jpa.entities.CredentialEntity;
import org.keycloak.models.utils.KeycloakModelUtils;

/**
 * Replaces a row after the login that brought its new hash is committed, in a transaction of its
 * own. A failure is logged, and the login stays a success.
 */
final class Upgrade extends AbstractKeycloakTransaction {
  private static final Logger LOG = Logger.getLogger(Upgrade.class);

  private final KeycloakSessionFactory sessions;
  private final PasswordCredentialModel old;
  private final PasswordCredentialModel made;

  Upgrade(KeycloakSessionFactory sessions, PasswordCredentialModel old, PasswordCredentialModel made) {
    this.sessions = sessions;
    this.old = old;
    this.made = made;
  }

  @Override
  protected void commitImpl() {
    try {
      KeycloakModelUtils.runJobInTransaction(sessions, this::replace);
    } catch (RuntimeException e) {
      LOG.warnf(e, "The credential %s keeps its old hash until a later login", old.getId());
    }
  }

  @Override
  protected void rollbackImpl() {}

  private void replace(KeycloakSession session) {
    EntityManager rows = session.getProvider(JpaConnectionProvider.class).getEntityManager();
    // Locked, so that a change of the password comes entirely before or after the comparison.
    CredentialEntity row = rows.find(CredentialEntity.class, old.getId(), LockModeType.PESSIMISTIC_WRITE);
    if (row == null || !old.getSecretData().equals(row.getSecretData()) || !old.getCredentialData().equals(row.getCredentialData())) return;
    // A query, because an entity would raise its version, and the change of a password that has
    // already read the row would fail.
    rows.createQuery("UPDATE CredentialEntity c SET c.secretData = :secret, c.credentialData = :data WHERE c.id = :id")
        .setParameter("secret", made.getSecretData())
        .setParameter("data", made.getCredentialData())
        .setParameter("id", old.getId())
        .executeUpdate();
    UserCache cache = session.getProvider(UserCache.class);
    RealmModel realm = session.realms().getRealm(row.getUser().getRealmId());
    session.getContext().setRealm(realm);
    UserModel user = session.users().getUserById(realm, row.getUser().getId());
    if (cache != null && user != null) cache.evict(realm, user);
  }
}
