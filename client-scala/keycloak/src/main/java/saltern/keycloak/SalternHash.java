package saltern.keycloak;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.keycloak.credential.hash.PasswordHashProvider;
import org.keycloak.models.KeycloakSession;
import org.keycloak.models.PasswordPolicy;
import org.keycloak.models.credential.PasswordCredentialModel;
import saltern.client.BlockingSaltern;
import saltern.client.Match;
import saltern.client.NewHash;
import saltern.client.Password;
import saltern.client.SalternError;
import saltern.client.Verified;

/**
 * Lets Saltern compute the hashes of one algorithm of Keycloak. There is one object in a session for
 * each algorithm.
 *
 * <p>Keycloak takes every exception of {@code verify} for a wrong password. So {@link
 * SalternCredential} asks too, outside of Keycloak's {@code catch}. Whoever asks second gets the
 * first one's answer, and Saltern is asked once.
 */
final class SalternHash implements PasswordHashProvider {
  private static final Logger LOG = Logger.getLogger(SalternHash.class);
  // What Keycloak hashes, and then drops, where there is no such user.
  private static final String DUMMY = "SlightlyLongerDummyPassword";

  private final KeycloakSession session;
  private final BlockingSaltern saltern;
  // Makes Keycloak's own provider of the algorithm; absent for sealed rows, and if Keycloak shall verify none.
  private final Optional<Supplier<PasswordHashProvider>> builtIn;
  private Asked asked;

  SalternHash(KeycloakSession session, BlockingSaltern saltern, Optional<Supplier<PasswordHashProvider>> builtIn) {
    this.session = session;
    this.saltern = saltern;
    this.builtIn = builtIn;
  }

  /** Saltern's policies decide which rows are replaced, and {@link #verify} replaces them. */
  @Override
  public boolean policyCheck(PasswordPolicy policy, PasswordCredentialModel row) {
    return true;
  }

  /** The hash is made under Saltern's current policy. The iterations of the realm are not used. */
  @Override
  public PasswordCredentialModel encodedCredential(String password, int iterations) {
    try {
      return StoredRow.of(saltern.hash(Password.apply(password)).encoded());
    } catch (SalternError error) {
      // In an overload logins are refused too. Else a refusal, or its time, would show that there is no
      // such user: without keys the login of a known one fails after a decoy's work.
      boolean loginsAreAnswered =
          error instanceof SalternError.UserFault || error instanceof SalternError.NotAvailableLocally || error.isOfNewHashes();
      if (!DUMMY.equals(password) || !loginsAreAnswered) throw Refusal.of(session, error);
      decoy(true);
      return null;
    } catch (IllegalStateException notReadable) {
      if (DUMMY.equals(password)) return null;
      throw Refusal.ofSettings(session, notReadable.getMessage());
    }
  }

  @Override
  public boolean verify(String password, PasswordCredentialModel row) {
    if (asked == null || !asked.concerns(password, row)) asked = new Asked(password, row, ask(password, row));
    return asked.answer.get();
  }

  @Override
  public void close() {}

  /** Does the work of a decoy, where Keycloak would do none. {@code refuses}: throws if nobody can do it. */
  void decoy(boolean refuses) {
    try {
      saltern.login(Password.apply("a decoy"), Optional.<String>empty());
    } catch (SalternError error) {
      if (refuses) throw Refusal.of(session, error);
    }
  }

  private Answer ask(String password, PasswordCredentialModel row) {
    Optional<String> stored = StoredRow.textOf(row);
    if (stored.isEmpty()) return byKeycloak(password, row, "it has no standard form");
    try {
      Verified verified = saltern.login(Password.apply(password), stored);
      if (verified instanceof Match match) match.rehashOptional().ifPresent(made -> upgrade(row, made));
      return () -> verified instanceof Match;
    } catch (SalternError.BadHash error) {
      return byKeycloak(password, row, error.detailed());
    } catch (SalternError.UserFault noUsersPassword) {
      try {
        decoy(true);
      } catch (Refusal refusal) {
        return thrown(refusal);
      }
      return () -> false;
    } catch (SalternError error) {
      return thrown(Refusal.of(session, error));
    }
  }

  /** Keycloak verified such rows before the jar was here, so their users still log in. */
  private Answer byKeycloak(String password, PasswordCredentialModel row, String why) {
    if (builtIn.isEmpty()) return thrown(Refusal.ofSettings(session, "the row " + row.getId() + " cannot be verified: " + why));
    LOG.warnf("Keycloak itself verifies the credential %s: %s", row.getId(), why);
    try {
      boolean matches = builtIn.get().get().verify(password, row);
      return () -> matches;
    } catch (LinkageError missing) {
      return thrown(Refusal.ofMissingClass(session, missing));
    } catch (RuntimeException notRead) {
      // Without the jar this is a wrong password too. The message may quote the row.
      LOG.warnf("Keycloak cannot read the credential %s: %s", row.getId(), notRead.getClass().getName());
      return () -> false;
    }
  }

  /** Kept as the answer, so that Saltern is not asked again for it. */
  private static Answer thrown(Refusal refusal) {
    return () -> { throw refusal; };
  }

  private void upgrade(PasswordCredentialModel row, NewHash made) {
    // The rows of the history are also verified, and stay as they are.
    if (row.getId() == null || !PasswordCredentialModel.TYPE.equals(row.getType())) return;
    try {
      session.getTransactionManager().enlistAfterCompletion(new Upgrade(session.getKeycloakSessionFactory(), row, StoredRow.of(made.encoded())));
    } catch (IllegalStateException notReadable) {
      LOG.error(notReadable.getMessage());
    }
  }

  /** Returns whether the password matches, or throws what the caller is to be told instead. */
  private interface Answer {
    boolean get();
  }

  private record Asked(String password, PasswordCredentialModel row, Answer answer) {
    boolean concerns(String password, PasswordCredentialModel row) {
      return this.password.equals(password)
          && Objects.equals(this.row.getSecretData(), row.getSecretData())
          && Objects.equals(this.row.getCredentialData(), row.getCredentialData());
    }
  }
}
