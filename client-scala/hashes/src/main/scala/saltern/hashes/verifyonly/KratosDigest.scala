package saltern.hashes
package verifyonly

/** Ory Kratos: `$sha256$pf=<template>$<salt>$<output>`, each in Base64 with padding. In the
  * template `{SALT}` and `{PASSWORD}` stand for the two. Source: Ory Kratos
  * `hash/hash_comparator.go`.
  */
private[hashes] case object KratosDigest extends Scheme("kratos-digest") {
  override def isWeak: Boolean = true

  def claims(stored: String): Boolean = functions.keys.exists(name => stored.startsWith(s"$$$name$Format"))

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.fields(stored, '$', 5)
      hash <- functions.get(parts(1)).toRight(ParseError.Invalid)
      form <- Text.after("pf=", parts(2))
      template <- PaddedBase64.decode(form)
      salt <- PaddedBase64.decode(parts(3))
      pieces = split(template.toList)
      // Without the password every password would match.
      _ <- Text.valid(salt.nonEmpty && pieces.contains(Digest.Password) && pieces.contains(Digest.Salt))
      output <- PaddedBase64.decode(parts(4))
      encoded <- EncodedHash(this, new Digest(hash, Digest.Template(pieces), salt), output) { bytes =>
        s"$$${parts(1)}$$${parts(2)}$$${parts(3)}$$${PaddedBase64.encode(bytes)}"
      }
    } yield encoded

  /** Splits a template at its marks. Every other byte is a piece. */
  @annotation.tailrec
  private def split(template: List[Byte], pieces: Vector[Digest.Piece] = Vector.empty): Vector[Digest.Piece] =
    marks.find { case (mark, _) => template.startsWith(mark) } match {
      case Some((mark, piece))      => split(template.drop(mark.length), pieces :+ piece)
      case None if template.isEmpty => pieces
      case None                     => split(template.tail, pieces :+ Digest.Fixed(template.head))
    }

  private val marks: Seq[(List[Byte], Digest.Piece)] =
    Seq("{SALT}" -> Digest.Salt, "{PASSWORD}" -> Digest.Password).map { case (mark, piece) => (Text.utf8(mark).toList, piece) }

  private val functions = Map("md5" -> Digest.Md5, "sha1" -> Digest.Sha1, "sha256" -> Digest.Sha256, "sha512" -> Digest.Sha512)

  /** After the name of the function. sun-md5 and sha1-crypt begin with the same names. */
  val Format: String = "$pf="
}
