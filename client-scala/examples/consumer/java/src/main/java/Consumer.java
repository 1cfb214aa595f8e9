import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import saltern.client.ClientConfig;
import saltern.client.Match;
import saltern.client.Password;
import saltern.client.PolicySource;
import saltern.client.Saltern;
import saltern.client.StagedSaltern;
import saltern.client.Verified;
import saltern.testkit.InMemoryService;

/** Uses the client from Java: every call is a {@code CompletableFuture}. */
public final class Consumer {
  public static void main(String[] arguments) throws Exception {
    InMemoryService service = InMemoryService.apply(PolicySource.Packed$.MODULE$);
    ClientConfig config = ClientConfig.apply("https://service.invalid").withDeadline(Duration.ofSeconds(20));
    try (Saltern saltern = Saltern.apply(config, service)) {
      StagedSaltern stages = saltern.stages();
      Password password = Password.apply("correct horse".toCharArray());
      CompletableFuture<Verified> login =
          stages
              .hash(password, "bcrypt-12-2023")
              .thenCompose(hashed -> stages.login(password, Optional.of(hashed.encoded())));
      Verified verified = login.get();
      if (!(verified instanceof Match)) throw new AssertionError("the password is the stored one");
      String policy = ((Match) verified).rehashOptional().orElseThrow().policy();
      System.out.println("consumed from Java: verified " + verified.origin() + ", to replace by " + policy);
    }
  }
}
