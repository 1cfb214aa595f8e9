package saltern.client.local
package legacy

/** The labels that stand only in front of crypt(3)'s schemes. */
private[local] object CryptLabels {

  /** Dovecot's own meaning of MD5. Without the dollar sign it is LDAP's. */
  private val Md5 = "{MD5}"
  val Md5Crypt: String = Md5 + "$"

  val all: Seq[Label] = Seq(
    Label("{DES-CRYPT}", Seq(DesCrypt.Traditional)),
    Label("{MD5-CRYPT}", Seq(MdCrypt.FreeBsd)),
    Label(Md5, Seq(MdCrypt.FreeBsd), begin = "$"),
    Label("{SHA256-CRYPT}", Seq(ShaCrypt.Sha256)),
    Label("{SHA512-CRYPT}", Seq(ShaCrypt.Sha512))
  )
}
