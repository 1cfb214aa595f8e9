package saltern.client.wire

import scala.concurrent.duration.*

/** `Server-Timing: queue;dur=1.5, hash;dur=62` (milliseconds). Other entries are ignored. */
private[saltern] object ServerTiming {
  def duration(header: Option[String], name: String): Option[FiniteDuration] =
    header.toSeq
      .flatMap(_.split(',').toSeq)
      .map(_.split(';').map(_.trim))
      .collectFirst { case Array(`name`, parameters @ _*) => parameters }
      .flatMap(_.collectFirst { case p if p.startsWith("dur=") => p.substring(4) })
      .flatMap(_.toDoubleOption)
      .filter(ms => ms >= 0 && ms < 1e9)
      .map(ms => (ms * 1e6).toLong.nanos)
}
