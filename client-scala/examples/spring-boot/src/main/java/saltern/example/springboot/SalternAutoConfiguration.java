package saltern.example.springboot;

import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.security.crypto.password.PasswordEncoder;
import saltern.client.ClientConfig;
import saltern.client.Fallback;
import saltern.client.Report;
import saltern.client.Saltern;
import saltern.client.SalternError;
import saltern.client.spring.SalternPasswordEncoder;

/** The client, its encoder, its health and its answers, for an application with Spring Security. */
@AutoConfiguration
@EnableConfigurationProperties(SalternAutoConfiguration.Settings.class)
public class SalternAutoConfiguration {

  @ConfigurationProperties("saltern")
  public record Settings(String url, @DefaultValue("10s") Duration deadline, @DefaultValue("true") boolean fallback) {
    public Settings {
      if (url == null) throw new IllegalArgumentException("set saltern.url to the address of Saltern, such as http://127.0.0.1:9000");
    }
  }

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Saltern saltern(Settings settings) {
    ClientConfig config = ClientConfig.apply(settings.url());
    return Saltern.apply(settings.fallback() ? config : config.withFallback(Fallback.never()));
  }

  @Bean
  @ConditionalOnMissingBean
  PasswordEncoder passwordEncoder(Saltern saltern, Settings settings) {
    return new SalternPasswordEncoder(saltern).withWait(settings.deadline());
  }

  /** Down only if no login is possible: without the service this host hashes, if it may and can. */
  @Bean
  HealthIndicator salternHealthIndicator(Saltern saltern, Settings settings) {
    // A check takes seconds if the service hangs, and a probe often waits for one: it reads the last report.
    AtomicReference<Report> last = new AtomicReference<>(saltern.blocking().check());
    return () -> {
      saltern.stages().check().thenAccept(last::set);
      Report report = last.get();
      // A service that is too busy to be checked is no reason to take this host out too.
      boolean refused = report.authorised().isBad() || report.mayVerify().isBad();
      boolean up = report.reachable().isGood() && !refused || settings.fallback() && report.localHashing().isGood();
      return (up ? Health.up() : Health.down()).withDetail("problems", report.problemList()).build();
    };
  }

  /**
   * Stands before Spring Security's filters. Under {@code formLogin} the encoder's error is thrown in
   * a filter, where no exception handler of a controller sees it.
   */
  @Bean
  FilterRegistrationBean<jakarta.servlet.Filter> salternErrors() {
    FilterRegistrationBean<jakarta.servlet.Filter> bean = new FilterRegistrationBean<>((request, response, chain) -> {
      HttpServletResponse answer = (HttpServletResponse) response;
      try {
        chain.doFilter(request, response);
      } catch (SalternError.UserFault fault) {
        answer.sendError(400, fault.safe());
      } catch (SalternError.TryLater later) {
        // Never "bad credentials": the password was not checked. Other errors are answered with 500.
        answer.setHeader("Retry-After", String.valueOf(Math.max(1, later.retryAfter().toSeconds())));
        answer.sendError(503, later.safe());
      }
    });
    bean.setOrder(SecurityFilterProperties.DEFAULT_FILTER_ORDER - 1);
    return bean;
  }
}
