package saltern.keycloak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.keycloak.models.credential.PasswordCredentialModel;

/**
 * Turns the rows of hashes that {@code saltern unseal} has opened back into Keycloak's form. It reads
 * lines of a credential's id, a {@code |} and the hash, and prints an UPDATE of SQL for each. A hash
 * that Keycloak cannot read ends it.
 */
public final class Unsealed {
  private Unsealed() {}

  public static void main(String[] arguments) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      int bar = line.indexOf('|');
      String id = line.substring(0, Math.max(bar, 0));
      PasswordCredentialModel row = StoredRow.of(line.substring(bar + 1));
      if (!id.matches("[A-Za-z0-9-]+") || StoredRow.SEALED.equals(row.getPasswordCredentialData().getAlgorithm())) {
        throw new IllegalArgumentException("give lines of a credential's id, a | and a hash without a seal");
      }
      // Neither JSON text has a quote of SQL: it consists of numbers, names and Base64.
      System.out.printf(
          "UPDATE CREDENTIAL SET SECRET_DATA = '%s', CREDENTIAL_DATA = '%s' WHERE ID = '%s';%n",
          row.getSecretData(), row.getCredentialData(), id);
    }
  }
}
