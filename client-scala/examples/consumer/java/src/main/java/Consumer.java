import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import saltern.client.ClientConfig;
import saltern.client.Fallback;
import saltern.client.Match;
import saltern.client.Mismatch;
import saltern.client.Origin;
import saltern.client.Password;
import saltern.client.Saltern;
import saltern.client.StagedSaltern;
import saltern.client.Verified;

/** Logs in at a running server from Java: every call is a {@code CompletableFuture}. */
public final class Consumer {
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
      CompletableFuture<Verified> login =
          stages
              .hash(password, "bcrypt-12-2023")
              .thenCompose(hashed -> stages.login(password, Optional.of(hashed.encoded())));
      Verified verified = login.get();
      if (!(verified instanceof Match)) throw new AssertionError("the password is the stored one");
      String replaced = ((Match) verified).rehashOptional().orElseThrow().encoded();
      Verified wrong = stages.login(Password.apply("wrong"), Optional.of(replaced)).get();
      Verified unknown = saltern.blocking().login(password, Optional.empty());
      if (!(wrong instanceof Mismatch) || !(unknown instanceof Mismatch)) throw new AssertionError("no match");
      if (verified.origin() != Origin.Remote$.MODULE$) throw new AssertionError("the server did not answer");
      System.out.println("consumed from Java: verified " + verified.origin() + ", to replace by "
          + ((Match) verified).rehashOptional().orElseThrow().policy().get());
    }
  }
}
