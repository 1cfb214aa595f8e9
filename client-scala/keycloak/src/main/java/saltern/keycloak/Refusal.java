package saltern.keycloak;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;
import org.keycloak.forms.login.LoginFormsProvider;
import org.keycloak.models.KeycloakSession;
import saltern.client.SalternError;

/**
 * Ends a request that Saltern could not answer, as 503 or 500. It is no failed login: Keycloak's
 * flows count what an authenticator reports, and an exception reports nothing.
 */
final class Refusal extends WebApplicationException {
  private static final Logger LOG = Logger.getLogger(Refusal.class);
  private static final AtomicBoolean CLASS_IS_TOLD = new AtomicBoolean();
  private static final String BUSY = "Too many people are logging in. Please try again in a moment.";
  private static final String FAULT = "The login failed because of an error of the server.";

  // Keycloak shows the message of an exception where a user sets a password.
  private Refusal(String message, Response response) {
    super(message, response);
  }

  static Refusal of(KeycloakSession session, SalternError error) {
    if (error instanceof SalternError.Misconfigured || error instanceof SalternError.BadHash) return ofSettings(session, error.detailed());
    if (error instanceof SalternError.UserFault) {
      return new Refusal(error.safe(), answer(session, Response.Status.BAD_REQUEST, "invalid_request", error.safe()).build());
    }
    LOG.debugf("answered 503: %s", error.detailed());
    return later(session, error instanceof SalternError.TryLater later ? Math.max(1, later.retryAfter().toSeconds()) : 1);
  }

  /** Keycloak's own provider cannot compute. The jar's own classes are the client's to tell of. */
  static Refusal ofMissingClass(KeycloakSession session, LinkageError missing) {
    if (CLASS_IS_TOLD.compareAndSet(false, true)) {
      LOG.errorf("answered 503, as from now on for such rows: Keycloak lacks a class (%s): unpack its lib directory again", missing);
    }
    return later(session, 1);
  }

  private static Refusal later(KeycloakSession session, long seconds) {
    Response.ResponseBuilder answer =
        answer(session, Response.Status.SERVICE_UNAVAILABLE, "temporarily_unavailable", BUSY);
    return new Refusal(BUSY, answer.header(HttpHeaders.RETRY_AFTER, seconds).build());
  }

  static Refusal ofSettings(KeycloakSession session, String problem) {
    LOG.errorf("answered 500: %s", problem);
    return new Refusal(FAULT, answer(session, Response.Status.INTERNAL_SERVER_ERROR, "server_error", FAULT).build());
  }

  /** A page for a browser, which may then send its form again, and JSON with a code of RFC 6749 for a program. */
  private static Response.ResponseBuilder answer(KeycloakSession session, Response.Status status, String code, String message) {
    HttpHeaders headers = session.getContext().getRequestHeaders();
    if (headers != null && headers.getAcceptableMediaTypes().contains(MediaType.TEXT_HTML_TYPE)) {
      return Response.fromResponse(session.getProvider(LoginFormsProvider.class).setError(message).createErrorPage(status));
    }
    session.getTransactionManager().setRollbackOnly();
    return Response.status(status).type(MediaType.APPLICATION_JSON_TYPE).entity(Map.of("error", code, "error_description", message));
  }

  /** An overload refuses many, and the trace would only lead here. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
