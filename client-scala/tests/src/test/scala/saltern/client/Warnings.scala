package saltern.client

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.logging.{Handler, Level, LogRecord, Logger}
import scala.jdk.CollectionConverters.*

/** The client's warnings that begin with this text. Other suites log at the same time. */
final class Warnings(start: String) extends AutoCloseable {
  private val kept = new ConcurrentLinkedQueue[String]
  // The JDK would forget a logger without a reference, with its handler.
  private val logger = Logger.getLogger("saltern.client")
  private val handler = new Handler {
    override def publish(record: LogRecord): Unit =
      if (record.getLevel == Level.WARNING && record.getMessage.startsWith(start)) { val _ = kept.add(record.getMessage) }
    override def flush(): Unit = ()
    override def close(): Unit = ()
  }
  logger.addHandler(handler)

  def lines: Vector[String] = kept.asScala.toVector

  def close(): Unit = logger.removeHandler(handler)
}
