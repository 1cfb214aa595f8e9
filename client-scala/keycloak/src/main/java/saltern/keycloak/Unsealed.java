package saltern.keycloak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.keycloak.models.credential.PasswordCredentialModel;

/**
 * Turns the rows of hashes that {@code saltern unseal} has opened back into Keycloak's form. It reads
 * lines of a credential's id, a {@code |} and the hash, and prints an UPDATE of SQL for each. The
 * argument is the table, by default {@code credential}. A hash that Keycloak cannot read stays sealed, and is told.
 */
public final class Unsealed {
  private Unsealed() {}

  public static void main(String[] arguments) throws IOException {
    String table = arguments.length > 0 ? arguments[0] : "credential";
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      int bar = line.indexOf('|');
      String id = line.substring(0, Math.max(bar, 0));
      String hash = line.substring(bar + 1);
      if (!id.matches("[A-Za-z0-9-]+") || StoredRow.isSealed(hash)) {
        throw new IllegalArgumentException("give lines of a credential's id, a | and a hash without a seal");
      }
      PasswordCredentialModel row;
      try {
        row = StoredRow.of(hash);
      } catch (IllegalStateException notReadable) {
        System.err.println("credential " + id + ": Keycloak cannot read its hash, so it stays sealed and needs a new password");
        continue;
      }
      // Neither JSON text has a quote of SQL: it consists of numbers, names and Base64.
      System.out.printf(
          "UPDATE %s SET SECRET_DATA = '%s', CREDENTIAL_DATA = '%s' WHERE ID = '%s';%n",
          table, row.getSecretData(), row.getCredentialData(), id);
    }
  }
}
