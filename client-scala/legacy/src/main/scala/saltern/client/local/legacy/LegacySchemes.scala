package saltern.client.local
package legacy

/** The schemes of this module. The core finds this class by its name in `META-INF/services`. */
private[saltern] final class LegacySchemes extends OtherSchemes {
  private[local] def schemes: Seq[Scheme] =
    crypt ++ Seq(MdCrypt.Apache, Firebase, KratosDigest, MysqlNative, WerkzeugHmac) ++ Phpass.schemes ++ LdapDigest.schemes ++ DjangoDigests.all ++
      SpringDigests.all

  private[local] def crypt: Seq[Scheme] = Seq(MdCrypt.FreeBsd, Sha1Crypt, SunMd5) ++ DesCrypt.schemes ++ ShaCrypt.schemes

  private[local] def labels: Seq[Label] = CryptLabels.all

  private[local] def firebaseProject(text: String): Either[String, Project] = FirebaseProject.read(text)
}
