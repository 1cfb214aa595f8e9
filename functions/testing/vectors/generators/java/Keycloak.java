import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.keycloak.common.crypto.CryptoIntegration;
import org.keycloak.credential.hash.PasswordHashProvider;
import org.keycloak.credential.hash.Pbkdf2PasswordHashProvider;
import org.keycloak.crypto.hash.Argon2PasswordHashProvider;

/**
 * For products.py: prints the two JSON texts of a credential of Keycloak for each password in hex
 * on standard input, by kind. -1 iterations means the default of the provider.
 */
public class Keycloak {
  private record Kind(PasswordHashProvider provider, int iterations) {}

  public static void main(String[] arguments) throws Exception {
    CryptoIntegration.init(Keycloak.class.getClassLoader());
    List<String> passwords = new ArrayList<>();
    for (var text : new ObjectMapper().readTree(System.in)) {
      passwords.add(new String(HexFormat.of().parseHex(text.asText()), StandardCharsets.UTF_8));
    }
    Semaphore free = new Semaphore(1);
    Map<String, Kind> kinds = new LinkedHashMap<>();
    kinds.put("pbkdf2", new Kind(new Pbkdf2PasswordHashProvider("pbkdf2", "PBKDF2WithHmacSHA1", 1_300_000, 0), 10));
    kinds.put("pbkdf2, default cost", new Kind(new Pbkdf2PasswordHashProvider("pbkdf2", "PBKDF2WithHmacSHA1", 1_300_000, 0), -1));
    kinds.put("pbkdf2-sha256", new Kind(new Pbkdf2PasswordHashProvider("pbkdf2-sha256", "PBKDF2WithHmacSHA256", 600_000, 0, 256), 10));
    kinds.put("pbkdf2-sha256, default cost", new Kind(new Pbkdf2PasswordHashProvider("pbkdf2-sha256", "PBKDF2WithHmacSHA256", 600_000, 0, 256), -1));
    // Before Keycloak 24.
    kinds.put("pbkdf2-sha256, 64 bytes", new Kind(new Pbkdf2PasswordHashProvider("pbkdf2-sha256", "PBKDF2WithHmacSHA256", 27_500, 0), -1));
    kinds.put("pbkdf2-sha512", new Kind(new Pbkdf2PasswordHashProvider("pbkdf2-sha512", "PBKDF2WithHmacSHA512", 210_000, 0), 10));
    kinds.put("pbkdf2-sha512, default cost", new Kind(new Pbkdf2PasswordHashProvider("pbkdf2-sha512", "PBKDF2WithHmacSHA512", 210_000, 0), -1));
    kinds.put("argon2", new Kind(new Argon2PasswordHashProvider("1.3", "id", 32, 64, 1, 2, free), -1));
    kinds.put("argon2, default cost", new Kind(new Argon2PasswordHashProvider("1.3", "id", 32, 7168, 5, 1, free), -1));
    kinds.put("argon2, i", new Kind(new Argon2PasswordHashProvider("1.3", "i", 32, 64, 2, 1, free), -1));
    kinds.put("argon2, d, version 1.0", new Kind(new Argon2PasswordHashProvider("1.0", "d", 16, 64, 2, 1, free), -1));
    Map<String, List<Map<String, String>>> made = new LinkedHashMap<>();
    for (var kind : kinds.entrySet()) {
      List<Map<String, String>> credentials = new ArrayList<>();
      for (String password : passwords) {
        var credential = kind.getValue().provider().encodedCredential(password, kind.getValue().iterations());
        if (!kind.getValue().provider().verify(password, credential)) {
          throw new AssertionError("Keycloak does not agree with itself: " + kind.getKey());
        }
        credentials.add(Map.of("credentialData", credential.getCredentialData(), "secretData", credential.getSecretData()));
      }
      made.put(kind.getKey(), credentials);
    }
    System.out.println(new ObjectMapper().writeValueAsString(made));
  }
}
