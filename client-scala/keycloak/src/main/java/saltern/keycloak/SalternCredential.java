package saltern.keycloak;

import org.keycloak.credential.CredentialInput;
import org.keycloak.credential.CredentialInputValidator;
import org.keycloak.credential.CredentialModel;
import org.keycloak.credential.CredentialProvider;
import org.keycloak.credential.CredentialTypeMetadata;
import org.keycloak.credential.CredentialTypeMetadataContext;
import org.keycloak.credential.hash.PasswordHashProvider;
import org.keycloak.models.KeycloakSession;
import org.keycloak.models.RealmModel;
import org.keycloak.models.UserModel;
import org.keycloak.models.credential.PasswordCredentialModel;

/**
 * Asks Saltern about the password of a login beside Keycloak's own password provider, so that an
 * overload ends the request as 503. Keycloak's provider would make a wrong password of it.
 *
 * <p>It confirms no password itself: the verdict, the log and the metrics stay those of Keycloak's
 * provider. That one asks {@link SalternHash} too, before or after. It is not replaced, because its
 * constructor is not the same in all versions of 26.x.
 */
final class SalternCredential implements CredentialProvider<PasswordCredentialModel>, CredentialInputValidator {
  private final KeycloakSession session;

  SalternCredential(KeycloakSession session) {
    this.session = session;
  }

  @Override
  public boolean isValid(RealmModel realm, UserModel user, CredentialInput input) {
    String password = input.getChallengeResponse();
    if (password == null) return false;
    user.credentialManager()
        .getStoredCredentialsByTypeStream(PasswordCredentialModel.TYPE)
        .findFirst()
        .map(PasswordCredentialModel::createFromCredentialModel)
        .ifPresentOrElse(row -> ask(password, row), () -> askWithoutRow(user));
    return false;
  }

  private void ask(String password, PasswordCredentialModel row) {
    if (row.getPasswordCredentialData() == null) return;
    String algorithm = row.getPasswordCredentialData().getAlgorithm();
    if (session.getProvider(PasswordHashProvider.class, algorithm) instanceof SalternHash hash) hash.verify(password, row);
  }

  /**
   * Accounts without a password take as long as the others. A user of a storage, such as LDAP, comes
   * here only with a password that the storage has refused: brute-force detection must count it.
   */
  private void askWithoutRow(UserModel user) {
    if (session.getProvider(PasswordHashProvider.class) instanceof SalternHash hash) hash.decoy(!user.isFederated());
  }

  @Override
  public boolean supportsCredentialType(String type) {
    return PasswordCredentialModel.TYPE.equals(type);
  }

  // Without this, Keycloak might bring a credential to be stored here. 26.0 does not have the method.
  public boolean supportsCredentialType(CredentialModel credential) {
    return false;
  }

  @Override
  public boolean isConfiguredFor(RealmModel realm, UserModel user, String type) {
    return false;
  }

  // Not the type of passwords, so that Keycloak's provider alone is listed for it.
  @Override
  public String getType() {
    return SalternCredentialFactory.ID;
  }

  @Override
  public CredentialModel createCredential(RealmModel realm, UserModel user, PasswordCredentialModel credential) {
    throw notStoredHere();
  }

  @Override
  public boolean deleteCredential(RealmModel realm, UserModel user, String id) {
    throw notStoredHere();
  }

  @Override
  public PasswordCredentialModel getCredentialFromModel(CredentialModel model) {
    return PasswordCredentialModel.createFromCredentialModel(model);
  }

  @Override
  public CredentialTypeMetadata getCredentialTypeMetadata(CredentialTypeMetadataContext context) {
    throw notStoredHere();
  }

  private static UnsupportedOperationException notStoredHere() {
    return new UnsupportedOperationException("Keycloak's own provider stores passwords");
  }
}
