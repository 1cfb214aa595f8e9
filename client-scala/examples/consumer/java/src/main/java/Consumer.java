import java.util.concurrent.CompletionStage;
import saltern.client.ClientConfig;
import saltern.client.Hashed;
import saltern.client.Password;
import saltern.client.PolicySource;
import saltern.client.Saltern;
import saltern.client.Verified;
import saltern.testkit.InMemoryService;
import scala.jdk.javaapi.FutureConverters;

/** Uses the client from Java: futures become completion stages. */
public final class Consumer {
  public static void main(String[] arguments) throws Exception {
    InMemoryService service = InMemoryService.apply(PolicySource.Packed$.MODULE$);
    try (Saltern saltern = Saltern.apply(ClientConfig.apply("http://service.invalid"), service)) {
      char[] typed = "correct horse".toCharArray();
      Password password = Password.apply(typed);
      CompletionStage<Hashed> hashing = FutureConverters.asJava(saltern.hash(password));
      CompletionStage<Verified> verifying =
          hashing.thenCompose(hashed -> FutureConverters.asJava(saltern.verify(password, hashed.encoded())));
      Verified verified = verifying.toCompletableFuture().get();
      if (!verified.matches()) throw new AssertionError("the password is the stored one");
      System.out.println("consumed from Java: verified " + verified.origin());
    }
  }
}
