package saltern.hashes

/** GRUB's `grub.pbkdf2.sha512.<iterations>.<salt>.<output>`, in upper-case hexadecimal. Source:
  * GRUB `util/grub-mkpasswd-pbkdf2.c`.
  */
private[hashes] case object Grub extends PrefixedScheme("grub-pbkdf2-sha512", "grub.pbkdf2.sha512.") {
  override def claims(stored: String): Boolean = super.claims(stored) && !stored.contains('$')

  def parseRest(rest: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.fields(rest, '.', 3)
      iterations <- Text.decimal(parts(0))
      salt <- UpperHex.decode(parts(1))
      output <- UpperHex.decode(parts(2))
      // The option `-l` sets another length than 64 bytes.
      _ <- Text.valid(output.length >= Phc.MinOutputBytes)
      encoded <- Pbkdf2Scheme.in(this, Params.Prf.Sha512, iterations, salt, output.length, output) { bytes =>
        s"$prefix$iterations.${UpperHex.encode(salt)}.${UpperHex.encode(bytes)}"
      }
    } yield encoded
}
