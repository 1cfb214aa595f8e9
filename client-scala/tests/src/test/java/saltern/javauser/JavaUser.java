package saltern.javauser;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import saltern.client.BreakerState;
import saltern.client.ClientConfig;
import saltern.client.ClientListener;
import saltern.client.Fallback;
import saltern.client.Match;
import saltern.client.Origin;
import saltern.client.Password;
import saltern.client.PolicySource;
import saltern.client.Saltern;
import saltern.client.SalternError;
import saltern.client.Verified;
import saltern.testkit.Answers;
import saltern.testkit.FakeSaltern;

/** What a program in Java writes: no Scala object, collection or option. JavaSuite runs it. */
public final class JavaUser {
  private JavaUser() {}

  public static ClientConfig settings(String endpoint) {
    return ClientConfig.apply(endpoint)
        .withDeadline(Duration.ofSeconds(60))
        .withFallback(Fallback.unreachableOrOverloaded())
        .withPolicies(PolicySource.packed())
        .withAcceptedWeak("ldap-sha", "django-md5")
        .withListener(new ClientListener() {});
  }

  /** The side that answers a login: none has the decoy's match. */
  public static Origin originOf(Saltern saltern) {
    return saltern.blocking().login(Password.apply("secret"), Optional.empty()).origin();
  }

  public static boolean isLocal(Verified verified) {
    return verified.origin() == Origin.local() && verified.origin() != Origin.remote();
  }

  public static int severity(BreakerState state) {
    return state == BreakerState.closed() ? 0 : state == BreakerState.halfOpen() ? 1 : state == BreakerState.open() ? 2 : -1;
  }

  /** The status of HTTP for a login. */
  public static int status(Saltern saltern, String password, String stored) {
    try {
      Verified verified = saltern.blocking().login(Password.apply(password.toCharArray()), Optional.ofNullable(stored));
      return verified instanceof Match ? 200 : 403;
    } catch (SalternError.UserFault fault) {
      return 400;
    } catch (SalternError.TryLater later) {
      return later.retryAfter().toSeconds() > 0 ? 503 : 500;
    } catch (SalternError error) {
      return 500;
    }
  }

  public static FakeSaltern scripted() {
    FakeSaltern fake = new FakeSaltern();
    fake.answers(Answers.matched(), Answers.mismatch());
    fake.fails(Answers.userFault(), Answers.notSent(), Answers.badHash());
    return fake;
  }

  public static Optional<String> rehash(Saltern saltern, String stored) throws Exception {
    CompletableFuture<Verified> login = saltern.stages().login(Password.apply("secret"), Optional.of(stored));
    Match match = (Match) login.get();
    return match.rehashReasonOptional().map(reason -> reason.name() + " " + match.rehashOptional().orElseThrow().encoded());
  }
}
