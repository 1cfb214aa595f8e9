import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.DelegatingPasswordEncoder;
import org.springframework.security.crypto.password.LdapShaPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder;
import org.springframework.security.crypto.scrypt.SCryptPasswordEncoder;

/**
 * For frameworks.py: prints hashes by Spring Security of each password in hex on standard input:
 * kind to hashes.
 */
public class Spring {
  public static void main(String[] arguments) throws Exception {
    List<String> passwords = new ArrayList<>();
    for (var text : new ObjectMapper().readTree(System.in)) {
      passwords.add(new String(HexFormat.of().parseHex(text.asText()), StandardCharsets.UTF_8));
    }
    Pbkdf2PasswordEncoder base64 = Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_8();
    base64.setEncodeHashAsBase64(true);
    Pbkdf2PasswordEncoder oldBase64 = Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_5();
    oldBase64.setEncodeHashAsBase64(true);
    Map<String, PasswordEncoder> kinds = new LinkedHashMap<>();
    kinds.put("its own choice", PasswordEncoderFactories.createDelegatingPasswordEncoder());
    kinds.put("bcrypt", delegating("bcrypt", new BCryptPasswordEncoder(4)));
    kinds.put("bcrypt, $2y$", delegating("bcrypt", new BCryptPasswordEncoder(BCryptPasswordEncoder.BCryptVersion.$2Y, 4)));
    kinds.put("bcrypt, $2b$", delegating("bcrypt", new BCryptPasswordEncoder(BCryptPasswordEncoder.BCryptVersion.$2B, 4)));
    kinds.put("pbkdf2", delegating("pbkdf2", Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_5()));
    kinds.put("pbkdf2, Base64", delegating("pbkdf2", oldBase64));
    kinds.put("pbkdf2@SpringSecurity_v5_8", delegating("pbkdf2@SpringSecurity_v5_8", Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_8()));
    kinds.put("pbkdf2@SpringSecurity_v5_8, Base64", delegating("pbkdf2@SpringSecurity_v5_8", base64));
    kinds.put("scrypt", delegating("scrypt", SCryptPasswordEncoder.defaultsForSpringSecurity_v4_1()));
    kinds.put("scrypt, low cost", delegating("scrypt", new SCryptPasswordEncoder(16, 8, 2, 32, 64)));
    kinds.put("scrypt@SpringSecurity_v5_8", delegating("scrypt@SpringSecurity_v5_8", SCryptPasswordEncoder.defaultsForSpringSecurity_v5_8()));
    kinds.put("scrypt@SpringSecurity_v5_8, low cost", delegating("scrypt@SpringSecurity_v5_8", new SCryptPasswordEncoder(16, 8, 2, 32, 16)));
    kinds.put("argon2", delegating("argon2", Argon2PasswordEncoder.defaultsForSpringSecurity_v5_2()));
    kinds.put("argon2@SpringSecurity_v5_8", delegating("argon2@SpringSecurity_v5_8", Argon2PasswordEncoder.defaultsForSpringSecurity_v5_8()));
    kinds.put("argon2@SpringSecurity_v5_8, low cost", delegating("argon2@SpringSecurity_v5_8", new Argon2PasswordEncoder(16, 32, 2, 64, 1)));
    LdapShaPasswordEncoder lowerCase = new LdapShaPasswordEncoder();
    lowerCase.setForceLowerCasePrefix(true);
    kinds.put("ldap", delegating("ldap", new LdapShaPasswordEncoder()));
    kinds.put("ldap, lower case", delegating("ldap", lowerCase));
    Map<String, List<String>> made = new LinkedHashMap<>();
    for (var kind : kinds.entrySet()) {
      List<String> hashes = new ArrayList<>();
      for (String password : passwords) {
        String hash = kind.getValue().encode(password);
        if (!kind.getValue().matches(password, hash)) {
          throw new AssertionError("Spring Security does not agree with itself: " + hash);
        }
        hashes.add(hash);
      }
      made.put(kind.getKey(), hashes);
    }
    String version = BCryptPasswordEncoder.class.getPackage().getImplementationVersion();
    System.out.println(new ObjectMapper().writeValueAsString(Map.of("version", "Spring Security " + version, "made", made)));
  }

  private static PasswordEncoder delegating(String id, PasswordEncoder encoder) {
    return new DelegatingPasswordEncoder(id, Map.of(id, encoder));
  }
}
