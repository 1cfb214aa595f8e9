package saltern.hashes

import saltern.client.{Match, Mismatch, Origin, Password, PatientSuite, PolicySource, RehashReason, SalternError}
import saltern.testkit.InMemoryService

class HashesSuite extends PatientSuite {
  private val hashes = Hashes(InMemoryService.CheapPolicies)
  private val secret = Password("secret")

  test("a hash is made and verified without a client") {
    val made = hashes.hash(secret)
    assertEquals((made.origin: Origin, hashes.rehashReason(made.encoded)), (Origin.Local: Origin, None))
    assert(hashes.verify(secret, made.encoded).isInstanceOf[Match])
    assert(hashes.verify(Password("Secret"), made.encoded).isInstanceOf[Mismatch])
  }

  test("what cannot be computed is an error with a type") {
    for (stored <- Seq("no hash", null)) {
      intercept[SalternError.BadHash](hashes.verify(secret, stored))
      assertEquals(hashes.rehashReason(stored), None)
    }
    intercept[SalternError.UserFault](hashes.hash(Password("\ud800")))
    val yescrypt = intercept[SalternError.NotAvailableLocally](hashes.verify(secret, "$y$j9T$abc$def"))
    assert(yescrypt.detailed.contains("unknown scheme"), yescrypt.detailed)
  }

  test("a weak scheme is verified if it is named") {
    val sha = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="
    intercept[SalternError.NotAvailableLocally](hashes.verify(secret, sha))
    val accepting = Hashes(InMemoryService.CheapPolicies, "ldap-sha")
    assert(accepting.verify(secret, sha).isInstanceOf[Match])
    assertEquals(accepting.rehashReason(sha), Some(RehashReason.WeakScheme))
    intercept[IllegalArgumentException](Hashes(PolicySource.Packed, "nothing"))
  }
}
