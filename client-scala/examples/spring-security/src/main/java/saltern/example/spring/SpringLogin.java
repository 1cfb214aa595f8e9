package saltern.example.spring;

import java.time.Duration;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import saltern.client.ClientConfig;
import saltern.client.Saltern;
import saltern.client.SalternError;
import saltern.client.spring.SalternPasswordEncoder;

/**
 * A Spring Security login whose users were stored by a {@code DelegatingPasswordEncoder}: remotely
 * with {@code saltern serve}, locally without it.
 *
 * <pre> bin/sbt "springSecurity/Test/runMain saltern.example.spring.SpringLogin" </pre>
 */
public final class SpringLogin {

  /**
   * The hash of {@code secret}, as {@code
   * PasswordEncoderFactories.createDelegatingPasswordEncoder()} stores it.
   */
  public static final String STORED = "{bcrypt}$2a$10$BTINDsJE.cqWqWIaqYLmdOh4Ld31PrqpFmTLpqCAlwsNh44twnf0u";

  public static void main(String[] arguments) {
    String endpoint = arguments.length > 0 ? arguments[0] : "http://127.0.0.1:9000";
    try (Saltern saltern = Saltern.apply(ClientConfig.apply(endpoint))) {
      InMemoryUserDetailsManager users = users(STORED);
      AuthenticationManager manager = authenticationManager(saltern, users);
      System.out.println("the right password: " + login(manager, "ada", "secret"));
      System.out.println("a wrong one: " + login(manager, "ada", "wrong"));
      System.out.println("stored now: " + users.loadUserByUsername("ada").getPassword().replaceAll("\\$[^$]*$", "\\$.."));
    }
  }

  /** A configuration class would publish these as beans. */
  public static AuthenticationManager authenticationManager(Saltern saltern, InMemoryUserDetailsManager users) {
    DaoAuthenticationProvider provider = new DaoAuthenticationProvider(users);
    provider.setPasswordEncoder(new SalternPasswordEncoder(saltern).withWait(Duration.ofSeconds(5)));
    // With this, Spring Security replaces a hash below the current policy at the login.
    provider.setUserDetailsPasswordService(users);
    return new ProviderManager(provider);
  }

  /** The HTTP layer would answer this. */
  public static int login(AuthenticationManager manager, String user, String password) {
    try {
      manager.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(user, password));
      return 200;
    } catch (BadCredentialsException wrong) {
      return 401;
    } catch (SalternError.TryLater later) {
      System.err.println("try again in " + later.retryAfter().toSeconds() + " s");
      return 503;
    } catch (SalternError defect) {
      System.err.println(defect.detailed());
      return 500;
    }
  }

  public static InMemoryUserDetailsManager users(String stored) {
    return new InMemoryUserDetailsManager(User.withUsername("ada").password(stored).roles("USER").build());
  }
}
