import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import saltern.client.ClientConfig;
import saltern.client.Fallback;
import saltern.client.Match;
import saltern.client.Origin;
import saltern.client.Password;
import saltern.client.Saltern;
import saltern.client.SalternError;
import saltern.client.StagedSaltern;
import saltern.client.Verified;

/** Logs in at a running server from Java, by both kinds of methods. */
public final class Consumer {
  private final Saltern saltern;

  /** In place of a table: the stored hash of each name. */
  private final ConcurrentMap<String, String> users;

  private Consumer(Saltern saltern, Map<String, String> users) {
    this.saltern = saltern;
    this.users = new ConcurrentHashMap<>(users);
  }

  /** Returns the status of HTTP to answer. */
  private int login(String name, Password password) {
    Optional<String> stored = Optional.ofNullable(users.get(name));
    try {
      Verified verified = saltern.blocking().login(password, stored);
      if (!(verified instanceof Match)) return 401;
      // Compare and swap: a password that was changed in the meantime stays changed. If the table fails, catch
      // it here: the old hash stays valid.
      ((Match) verified).rehashOptional().ifPresent(made -> users.replace(name, stored.get(), made.encoded()));
      return 200;
    } catch (SalternError.UserFault fault) {
      return 400; // no user has such a password
    } catch (SalternError.TryLater later) {
      return 503; // busy, which is never "wrong password"
    } catch (SalternError error) {
      return 500; // the row or the settings are wrong
    }
  }

  public static void main(String[] arguments) throws Exception {
    // Long enough for a busy machine.
    Duration patience = Duration.ofSeconds(60);
    ClientConfig config =
        ClientConfig.apply(arguments[0])
            .withDeadline(patience)
            .withAttemptTimeout(patience)
            .withBreakerSilence(patience)
            // Every answer is the server's.
            .withFallback(Fallback.never());
    try (Saltern saltern = Saltern.apply(config)) {
      StagedSaltern stages = saltern.stages();
      Password password = Password.apply("correct horse".toCharArray());
      String old = stages.hash(password, "bcrypt-12-2023").get().encoded();
      Consumer consumer = new Consumer(saltern, Map.of("ada", old));
      require(consumer.login("ada", Password.apply("wrong")) == 401, "a wrong password is refused");
      require(consumer.login("eve", password) == 401, "an unknown name is refused");
      require(consumer.login("ada", Password.apply("x".repeat(1025))) == 400, "no user has such a password");
      require(consumer.users.get("ada").equals(old), "nothing is replaced so far");
      require(consumer.login("ada", password) == 200, "the password is the stored one");
      Verified verified = stages.login(password, Optional.of(consumer.users.get("ada"))).get();
      require(verified.origin() == Origin.remote(), "the server answers");
      System.out.println("consumed from Java: verified " + verified.origin() + ", under " + verified.policy().get());
    }
  }

  private static void require(boolean condition, String what) {
    if (!condition) throw new AssertionError("not so: " + what);
  }
}
