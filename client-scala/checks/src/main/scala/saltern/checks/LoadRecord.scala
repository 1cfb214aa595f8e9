package saltern.checks

import com.github.plokhotnyuk.jsoniter_scala.core.{writeToArray, JsonValueCodec}
import com.github.plokhotnyuk.jsoniter_scala.macros.{CodecMakerConfig, JsonCodecMaker}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.time.Instant
import scala.util.Using

/** The files of a load for `saltern-load-report`, in the form of k6. `loadtest/record` names them
  * in LOAD_POINTS_FILE and LOAD_SUMMARY_FILE.
  */
final class LoadRecord private (points: Path, summary: Path) {

  /** Writes the operations of a load, in the order of their ends, and its summary. */
  def write(script: String, knobs: Map[String, Double], pieces: Vector[LoadRecord.Piece], ended: Vector[LoadRecord.Ended], broken: Vector[String]): Unit = {
    Using.resource(Files.newBufferedWriter(points, UTF_8)) { out =>
      for (one <- ended.sortBy(_.at)) {
        val origin = if (one.isLocal) ""","origin":"local"""" else ""
        out.write(
          s"""{"metric":"operation_ms","type":"Point","data":{"time":"${one.at}","value":${one.millis},"tags":{"kind":"${one.kind}"$origin}}}"""
        )
        out.write('\n')
      }
    }
    val _ = Files.write(summary, writeToArray(LoadRecord.Summary(script, knobs, pieces, broken))(LoadRecord.codec))
  }
}

object LoadRecord {

  /** The record that `loadtest/record` wants, if it runs this program. */
  def wanted(): Option[LoadRecord] =
    for (points <- sys.env.get("LOAD_POINTS_FILE"); summary <- sys.env.get("LOAD_SUMMARY_FILE")) yield new LoadRecord(Paths.get(points), Paths.get(summary))

  /** An operation that has ended.
    *
    * @param millis since the moment at which its caller came
    * @param kind of `loadtest/lib/answers.ts`
    * @param isLocal whether the backend hashed it itself
    */
  final case class Ended(at: Instant, millis: Double, kind: String, isLocal: Boolean)

  /** The rate moves to `perSecond` within `seconds`. */
  final case class Piece(perSecond: Double, seconds: Double)

  /** The exit code of k6 if a budget was broken. */
  val BudgetBroken: Int = 99

  final case class Summary(script: String, knobs: Map[String, Double], pieces: Vector[Piece], broken: Vector[String])

  private val codec: JsonValueCodec[Summary] = JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false))
}
