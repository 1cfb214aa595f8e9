package saltern.keycloak;

import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.keycloak.models.credential.PasswordCredentialModel;
import org.keycloak.models.credential.dto.PasswordCredentialData;
import org.keycloak.models.credential.dto.PasswordSecretData;

/**
 * The two forms of a stored hash: a row of Keycloak, and the text that Saltern reads and writes.
 *
 * <p>A row is converted only if its text has the same parameters, salt and output, so that each
 * side computes what the other one stored.
 */
final class StoredRow {
  /** The algorithm of rows that only Saltern reads. */
  static final String SEALED = "saltern";

  private static final String SEAL = "$saltern-seal$";
  private static final Pattern ARGON2 =
      Pattern.compile("\\$argon2(id|i|d)\\$v=(16|19)\\$m=(\\d+),t=(\\d+),p=(\\d+)\\$([^$]+)\\$([^$]+)");
  private static final Pattern PBKDF2 = Pattern.compile("\\$(pbkdf2(?:-sha256|-sha512)?)\\$i=(\\d+),l=\\d+\\$([^$]+)\\$([^$]+)");

  private StoredRow() {}

  /** Returns the text of a row, or nothing if Keycloak wrote the row in a form that has none. */
  static Optional<String> textOf(PasswordCredentialModel row) {
    PasswordCredentialData data = row.getPasswordCredentialData();
    PasswordSecretData secret = row.getPasswordSecretData();
    if (data == null || secret == null || secret.getValue() == null) return Optional.empty();
    if (SEALED.equals(data.getAlgorithm())) return Optional.of(secret.getValue());
    Optional<byte[]> output = canonical(secret.getValue());
    if (secret.getSalt() == null || output.isEmpty()) return Optional.empty();
    String end = "$" + bare(secret.getSalt()) + "$" + bare(output.get());
    return switch (data.getAlgorithm()) {
      case "argon2" -> argon2(data, output.get().length).map(head -> head + end);
      case "pbkdf2", "pbkdf2-sha256", "pbkdf2-sha512" ->
          Optional.of("$" + data.getAlgorithm() + "$i=" + data.getHashIterations() + ",l=" + output.get().length + end);
      default -> Optional.empty();
    };
  }

  static boolean isSealed(String text) {
    return text.startsWith(SEAL);
  }

  /** Returns the row of a text that Saltern made. Throws if Keycloak alone could not verify it. */
  static PasswordCredentialModel of(String text) {
    if (isSealed(text)) return PasswordCredentialModel.createFromValues(SEALED, new byte[0], 0, text);
    Matcher argon2 = ARGON2.matcher(text);
    if (argon2.matches()) {
      byte[] output = decoded(argon2.group(7));
      Map<String, List<String>> parameters = new HashMap<>();
      parameters.put("type", List.of(argon2.group(1)));
      parameters.put("version", List.of(argon2.group(2).equals("19") ? "1.3" : "1.0"));
      parameters.put("hashLength", List.of(Integer.toString(output.length)));
      parameters.put("memory", List.of(argon2.group(3)));
      parameters.put("parallelism", List.of(argon2.group(5)));
      return PasswordCredentialModel.createFromValues(
          "argon2", decoded(argon2.group(6)), Integer.parseInt(argon2.group(4)), parameters, padded(output));
    }
    Matcher pbkdf2 = PBKDF2.matcher(text);
    if (pbkdf2.matches()) {
      return PasswordCredentialModel.createFromValues(
          pbkdf2.group(1), decoded(pbkdf2.group(3)), Integer.parseInt(pbkdf2.group(2)), padded(decoded(pbkdf2.group(4))));
    }
    throw new IllegalStateException(
        "Saltern's current policy makes hashes that Keycloak cannot read: make a policy of argon2id or PBKDF2 current");
  }

  private static Optional<String> argon2(PasswordCredentialData data, int outputBytes) {
    Map<String, List<String>> all = data.getAdditionalParameters();
    String version = "1.3".equals(first(all, "version")) ? "19" : "1.0".equals(first(all, "version")) ? "16" : null;
    // Keycloak computes as many bytes as this says, so another length never matches.
    if (version == null || !Integer.toString(outputBytes).equals(first(all, "hashLength"))) return Optional.empty();
    return Optional.of(
        "$argon2" + first(all, "type") + "$v=" + version + "$m=" + first(all, "memory") + ",t=" + data.getHashIterations()
            + ",p=" + first(all, "parallelism"));
  }

  private static String first(Map<String, List<String>> parameters, String name) {
    List<String> values = parameters.get(name);
    return values == null || values.isEmpty() ? null : values.get(0);
  }

  /** Keycloak compares Base64 as text: a value that it would not print never matches there. */
  private static Optional<byte[]> canonical(String value) {
    try {
      byte[] bytes = Base64.getDecoder().decode(value);
      return padded(bytes).equals(value) ? Optional.of(bytes) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static byte[] decoded(String bare) {
    return Base64.getDecoder().decode(bare);
  }

  private static String bare(byte[] bytes) {
    return Base64.getEncoder().withoutPadding().encodeToString(bytes);
  }

  private static String padded(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
