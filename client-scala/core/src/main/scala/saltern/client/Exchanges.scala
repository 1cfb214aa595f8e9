package saltern.client

import scala.concurrent.{ExecutionContext, Future, Promise}

private[client] object Exchanges {

  /** Starts an exchange. Whatever the transport throws fails only this exchange. */
  def start(transport: Transport, request: Transport.Request): Transport.Exchange =
    try transport.send(request)
    catch {
      case e: Throwable =>
        new Transport.Exchange {
          val response: Future[Transport.Response] = Future.failed(TransportFailure(TransportFailure.Kind.Broken, e))
          def cancel(): Unit = ()
        }
    }

  /** Returns the answer within the request's time, or fails with [[TransportFailure]]. */
  def within(transport: Transport, scheduler: Scheduler, request: Transport.Request): Future[Transport.Response] = {
    val answer = Promise[Transport.Response]()
    val exchange = start(transport, request)
    val timer = scheduler.after(request.timeout) { () =>
      answer.tryFailure(new TransportFailure(TransportFailure.Kind.TimedOut, "no answer in time"))
      exchange.cancel()
    }
    exchange.response.onComplete { result =>
      timer.cancel()
      answer.tryComplete(result)
    }(ExecutionContext.parasitic)
    answer.future
  }
}
