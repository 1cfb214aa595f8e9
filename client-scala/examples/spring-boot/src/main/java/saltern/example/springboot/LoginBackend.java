package saltern.example.springboot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/**
 * A backend with a form's login. It stores users as Spring Security's {@code DelegatingPasswordEncoder}
 * did; {@code ada}'s password is {@code secret}.
 *
 * <pre>
 * bin/sbt "exampleSpringBoot/run"
 * curl -i -d user=ada -d password=secret http://127.0.0.1:8080/login
 * curl http://127.0.0.1:8080/actuator/health
 * </pre>
 */
@SpringBootApplication
public class LoginBackend {
  public static final String STORED = "{bcrypt}$2a$10$BTINDsJE.cqWqWIaqYLmdOh4Ld31PrqpFmTLpqCAlwsNh44twnf0u";

  public static void main(String[] arguments) {
    SpringApplication.run(LoginBackend.class, arguments);
  }

  /** It replaces an outdated hash at the login, because it is a {@code UserDetailsPasswordService} too. */
  @Bean
  @ConditionalOnMissingBean
  Users users() {
    return new Users(new ConcurrentHashMap<>(Map.of("ada", STORED)));
  }

  @Bean
  SecurityFilterChain logins(HttpSecurity http) throws Exception {
    return http
      // A browser's form carries Spring Security's token. This backend answers curl.
      .csrf(csrf -> csrf.disable())
      .authorizeHttpRequests(requests -> requests.requestMatchers("/actuator/health", "/error").permitAll().anyRequest().authenticated())
      .formLogin(form -> form
        .usernameParameter("user")
        .successHandler((request, response, user) -> response.setStatus(200))
        .failureHandler((request, response, wrong) -> response.setStatus(401)))
      .build();
  }
}
