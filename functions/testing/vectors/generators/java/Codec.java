import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.codec.digest.Crypt;
import org.apache.commons.codec.digest.Md5Crypt;

/**
 * For crypt_hashes.py: prints hashes by Apache Commons Codec of each password in hex on standard
 * input: scheme to hashes.
 */
public class Codec {
  public static void main(String[] arguments) throws Exception {
    List<byte[]> passwords = new ArrayList<>();
    for (var text : new ObjectMapper().readTree(System.in)) {
      passwords.add(HexFormat.of().parseHex(text.asText()));
    }
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("sha512-crypt", "$6$rounds=1000$saltsalt");
    settings.put("sha256-crypt", "$5$rounds=1000$saltsalt");
    settings.put("md5-crypt", "$1$saltsalt");
    settings.put("des-crypt", "sa");
    Map<String, List<String>> made = new LinkedHashMap<>();
    for (var setting : settings.entrySet()) {
      // A clone: the library wipes the password after its use.
      made.put(setting.getKey(), passwords.stream().map(password -> Crypt.crypt(password.clone(), setting.getValue())).toList());
    }
    made.put("apr1", passwords.stream().map(password -> Md5Crypt.apr1Crypt(password.clone(), "saltsalt")).toList());
    System.out.println(new ObjectMapper().writeValueAsString(made));
  }
}
